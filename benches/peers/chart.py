"""Draws the CPU time per chunk of each program as bars that are legible on light and dark pages."""

LEFT, RIGHT, ROW, GAP = 130, 170, 24, 34
WIDTH = 760
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 }
  .small { font-size: 12px; fill: #57606a }
  .own { fill: #1a7f37 } .peer { fill: #8c959f } .floor { fill: #d0d7de }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 }
    .own { fill: #3fb950 } .peer { fill: #6e7681 } .floor { fill: #3d444d }
  }
"""


def rows_of(world, programs):
    """Returns the programs that draw a world, with their microseconds per chunk."""
    for name, program in programs.items():
        if (name, 1) in world.taken and (name == "floor" or world.draws(name, 1)):
            yield name, program.title, world.taken[name, 1].cpu / world.chunks * 1e6


def draw(programs, worlds):
    most = max(micros for world in worlds for _, _, micros in rows_of(world, programs))
    parts, y = [], 24
    parts.append(f'<text class="title" x="0" y="{y}">CPU time for each chunk, one thread: shorter is better</text>')
    for world in worlds:
        y += GAP
        own = world.taken["pixelmap", 1].cpu / world.chunks * 1e6
        parts.append(f'<text class="small" x="0" y="{y}">{world.chunks:,} chunks, {world.text}</text>')
        y += 8
        for name, title, micros in rows_of(world, programs):
            kind = {"pixelmap": "own", "floor": "floor"}.get(name, "peer")
            length = max(2, (WIDTH - LEFT - RIGHT) * micros / most)
            times = "" if name in ("pixelmap", "floor") else f", {micros / own:.1f} times"
            parts.append(f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{title}</text>')
            parts.append(f'<rect class="{kind}" x="{LEFT}" y="{y + 3}" width="{length:.1f}" height="{ROW - 6}" rx="2"/>')
            parts.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 16}">{micros:.0f} µs{times}</text>')
            y += ROW
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 12}" width="{WIDTH}" height="{y + 12}">\n'
            f"<title>CPU time of map renderers for each chunk</title>\n<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n")
