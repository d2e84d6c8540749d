"""The programs to compare, and the page of their results: tables, and sentences made from the numbers."""

import dataclasses
import os
import platform
import re

EDITIONS = {"java": "Java Edition", "bedrock": "Bedrock Edition"}
REGIONS_OF_THE_LARGEST = 4_000_000
CHUNKS_A_REGION = 1024


@dataclasses.dataclass
class Program:
    title: str
    # The arguments for each edition that the program draws; with {world}, {out}, {threads} and {palette}.
    words: dict[str, list[str]]
    leaves_out: str
    source: str = ""
    # Has no option for threads, and starts one thread per core that it may use.
    takes_all_cores: bool = False
    knows_unchanged: bool = False
    path: str = ""
    version: str = ""


FLOOR = ["{world}", "1", "floor"]
PIXELMAP = ["render", "{world}", "-o", "{out}", "-t", "{threads}", "-q", "--progress", "never"]
KNOWN = {
    "floor": Program("floor", {"java": FLOOR, "bedrock": FLOOR}, "all but inflating each chunk once, from memory",
                     "`benches/whole.rs`"),
    "pixelmap": Program("pixelmap", {"java": PIXELMAP, "bedrock": PIXELMAP},
                        "light: it draws the layer `night` only on request", "this folder, profile `dist`",
                        knows_unchanged=True),
    "minedmap": Program("MinedMap", {"java": ["-j", "{threads}", "{world}", "{out}"]},
                        "the viewer; the custom heights of 1.17. It also draws a layer of light", "crates.io: `minedmap`",
                        knows_unchanged=True),
    "fork": Program("MinedMap, fork", {"java": ["-j", "{threads}", "{world}", "{out}"],
                                       "bedrock": ["-j", "{threads}", "--nether", "--end", "{world}", "{out}"]},
                    "the same as MinedMap; we did not request its further layers",
                    "no registry: built from the source of smol-kitten/MinedMap", knows_unchanged=True),
    "anvil": Program("anvil", {"java": ["tiles", "{world}", "--out", "{out}", "--palette", "{palette}", "--size=10000,10000"]},
                     "zoom levels, the viewer; trusts stored heights; treats chunks of 1.20 and later as unfinished",
                     "crates.io: `fastnbt-tools`"),
    "chunkmap": Program("chunkmap", {"java": ["render", "{world}/region", "-o", "{out}", "-r", "textures", "-d", "overworld"]},
                        "zoom levels, the viewer; treats chunks from before 1.20 as unfinished",
                        "no registry: built from the source of sodium-labs/chunkmap", takes_all_cores=True),
    "bedrock-render": Program("bedrock-render", {"bedrock": ["--world", "{world}", "--out", "{out}", "--dimensions",
                                                             "overworld,nether,end", "--mode", "surface", "--threads",
                                                             "{threads}", "--force"]},
                              "zoom levels", "no registry: its example `render_web_map`, built from the source of "
                              "BE-Community-Dev/bedrock-render"),
}


def programs(texts):
    """Parses programs from `NAME=PATH@VERSION`, and leaves out programs without a path."""
    found = {}
    for text in texts:
        name, _, rest = text.partition("=")
        path, _, version = rest.partition("@")
        if path:
            found[name] = dataclasses.replace(KNOWN[name], path=path, version=version)
    return found


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    system = re.match(r"[\d.]*\d", platform.release())[0]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, Linux {system}"


def span(values, form):
    """Formats the smallest and the largest of some numbers."""
    low, high = (format(value, form) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def hours(world, taken):
    return taken.cpu / world.chunks * CHUNKS_A_REGION * REGIONS_OF_THE_LARGEST / 3600


MEASURES = {
    "CPU": lambda taken: taken.cpu,
    "Wall time": lambda taken: taken.wall,
    "Memory": lambda taken: taken.memory,
    "Bytes of tiles": lambda taken: taken.tiles,
    "CPU of an unchanged run": lambda taken: taken.again[0] if taken.again else None,
}


def numbers(worlds, name, counts, of):
    """Returns a number of a program for each world and each count of threads, if it was measured."""
    cases = [(world, world.taken[name, threads], world.taken["pixelmap", threads])
             for world in worlds for threads in counts if world.draws(name, threads)]
    told = [of(*case) for case in cases]
    return [number for number in told if number is not None]


def headlines(worlds, programs, edition):
    """Returns one row per program: its numbers over all worlds that it draws, with one thread."""
    worlds = [world for world in worlds if world.edition == edition]
    columns = [
        (",.0f", lambda world, taken, own: world.chunks / taken.cpu),
        (".1f", lambda world, taken, own: taken.cpu / own.cpu),
        (".0f", lambda world, taken, own: taken.memory / 1e6),
        (".0f", lambda world, taken, own: taken.again and taken.again[0] * 1e3),
        (",.0f", lambda world, taken, own: hours(world, taken)),
    ]
    for name, program in programs.items():
        cells = [(form, numbers(worlds, name, [1], of)) for form, of in columns]
        if name != "floor" and cells[0][1]:
            told = [span(values, form) if values else "draws all again" for form, values in cells]
            yield f"| {program.title} | " + " | ".join(told) + " |"


def wins(worlds, programs, counts):
    """Returns one sentence per measure in which another program needs less."""
    for what, of in MEASURES.items():
        told = []
        for name, program in programs.items():
            if name not in ("floor", "pixelmap"):
                ratios = numbers(worlds, name, counts, lambda _, taken, own: of(taken) and of(taken) / of(own))
                less = [ratio for ratio in ratios if ratio < 1]
                if less:
                    told.append(f"{program.title} in {len(less)} of {len(ratios)} cases, {span(less, '.2f')} of pixelmap's")
        yield f"- {what}: {'; '.join(told) or 'none'}."


def table(world, programs, counts):
    lines = ["| program | threads | CPU s | of pixelmap's | wall s | of pixelmap's | memory, MB | of pixelmap's | tiles, kB "
             "| of pixelmap's | chunks per second of CPU | unchanged: CPU, wall s |", "|" + "---|" * 12]
    for threads in counts:
        own = world.taken["pixelmap", threads]
        for name, program in programs.items():
            taken = world.taken.get((name, threads))
            if taken is None:
                continue
            cells = [program.title, str(threads)]
            if name == "floor" or world.draws(name, threads):
                for value, form, of in [(taken.cpu, ".3f", own.cpu), (taken.wall, ".3f", own.wall),
                                        (0 if name == "floor" else taken.memory / 1e6, ".0f", own.memory / 1e6),
                                        (taken.tiles / 1e3, ",.0f", own.tiles / 1e3)]:
                    cells += [format(value, form), format(value / of, ".2f")] if value else ["", ""]
                cells.append(f"{world.chunks / taken.cpu:,.0f}")
                again = f"{taken.again[0]:.3f}, {taken.again[1]:.3f}" if taken.again else "draws all again"
                cells.append("" if name == "floor" else again)
            else:
                why = "its tiles are empty" if taken.code in (0, 3) else f"ends with {taken.code}"
                cells += [f"draws nothing: {why}", *[""] * 9]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def write(programs, worlds, counts, rounds):
    shown = [program for name, program in programs.items() if name != "floor"]
    absent = [program for name, program in KNOWN.items() if name not in programs]
    lines = f"""# Benchmarks

This page compares pixelmap with other programs that draw maps of worlds from above. They take turns on the same worlds.
One command writes this page and its chart, and builds the programs that a registry offers:

    benches/peers/run.sh [WORLD]...

The script generates the first world, so anybody can have it. You give further worlds as folders. **The times come from
one run on a noisy machine, so compare the ratios.** Each time is the smallest of {rounds} rounds, the memory the largest.

![CPU time of each program for each chunk](benchmarks.svg)

## In short

These figures are for one thread, over the worlds that each program can draw (the chart leaves out the others):
""".splitlines()
    for edition, title in EDITIONS.items():
        if any(world.edition == edition for world in worlds):
            lines += [
                "",
                f"| {title} | chunks per second of CPU | CPU, divided by pixelmap's | memory, MB | CPU of a run with "
                "nothing changed, ms | core-hours for 4.0 million regions of 1,024 chunks |",
                "|---|---|---|---|---|---|",
                *headlines(worlds, programs, edition),
            ]
    lines += [
        "",
        "The last column is extrapolated from these few regions. We drew nothing of that size, and the column ignores disks.",
        "[scale.md](scale.md) lists the other costs that grow with a world.",
        "",
        "## Where another program needs less than pixelmap",
        "",
        *wins(worlds, programs, counts),
        "",
        "A case is a world and a number of threads. The programs do not do the same work:",
        "",
        "| program | version | from | leaves out |",
        "|---|---|---|---|",
        *(f"| {each.title} | {each.version} | {each.source} | {each.leaves_out} |" for each in shown),
        "",
    ]
    if absent:
        lines += [f"Not measured, since no path to it was given: {', '.join(each.title for each in absent)}.", ""]
    lines += [
        "The script measures programs that no registry offers only if `FORK`, `CHUNKMAP` or `BEDROCK_RENDER` gives a path to",
        "them; see [benches/README.md](../benches/README.md). In crates.io, npm, PyPI, Debian and among the modules of Go we did",
        "not find another program that draws such a map without the game, a server or a display.",
        "",
        "The floor is not a renderer: it only inflates every chunk once, as every renderer must. In a world of Bedrock Edition",
        "several chunks are compressed together, as a block of a table.",
        "",
        "## Figures",
        "",
        f"{machine()}.",
    ]
    for world in worlds:
        lines += ["", f"### {world.regions} regions, {world.chunks:,} chunks: {world.text}", "", *table(world, programs, counts)]
    lines += ["", "## Commands", ""]
    fields = {"world": "WORLD", "out": "OUT", "threads": "THREADS", "palette": "PALETTE"}
    for program in shown:
        name = os.path.basename(program.path)
        cores = "taskset -c CORES " if program.takes_all_cores else ""
        # Only once if both editions have the same arguments.
        for words in dict.fromkeys(map(tuple, program.words.values())):
            lines.append("    " + cores + " ".join([name, *(word.format(**fields) for word in words)]))
    lines += ["", "PALETTE contains pixelmap's own colours. `RAYON_NUM_THREADS` sets the threads of `anvil`.", ""]
    return "\n".join(lines)
