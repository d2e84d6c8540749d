#!/usr/bin/env bash
# Measures the cost of tiles with textures, compared with native tiles.
#
#   benches/closer.sh WORLD CLIENT.JAR [X0,Z0,X1,Z1]     the area 0,0,512,512 by default
#
# Draws the area with one worker, three times with native tiles only and three times with four levels of textures. Then
# draws an empty place in the same way, to subtract the time of the start.
# Prints the CPU time per tile of either kind, the size of tiles with textures, and the additional memory they need.
# Use whole regions for a fair comparison, because then a tile of either kind has 262,144 pixels. Needs python3.
set -euo pipefail
world=$(realpath "$1")
jar=$(realpath "$2")
area=${3:-0,0,512,512}
cd "$(dirname "$0")/.."
if [ -z "${PIXELMAP:-}" ]; then
  cargo build --release --locked --quiet
  PIXELMAP=$(realpath "${CARGO_TARGET_DIR:-target}/release/pixelmap")
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B - "$PIXELMAP" "$world" "$jar" "$area" "$work" <<'EOF'
import json, pathlib, resource, subprocess, sys
program, world, jar, area, work = sys.argv[1:]
NOWHERE = "9999984,0,10000000,16"

def draw(area, options):
    """Returns the smallest CPU time of three runs, and the report and map of the last one."""
    best = float("inf")
    for turn in range(3):
        out = pathlib.Path(work, f"{area}-{len(options)}-{turn}")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run([program, "render", world, "-o", str(out), "-a", area, "--assets", jar, "-t", "1", "-q",
                              "--marker-kinds", "none", "--report", "-", *options], check=True, stdout=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best, json.loads(ran.stdout), out

zoom_in = ["--zoom-in", "4"]
start, start_zoomed = draw(NOWHERE, [])[0], draw(NOWHERE, zoom_in)[0]
plain, plain_report, _ = draw(area, [])
zoomed, report, out = draw(area, zoom_in)
inner = [path for zoom in range(18, 22) for path in out.glob(f"*/day/{zoom}/*/*.png")]
natives = len(list(out.glob("*/day/17/*/*.png")))
size = sum(path.stat().st_size for path in inner)
native_ms = 1000 * (plain - start) / natives
inner_ms = 1000 * (zoomed - start_zoomed - (plain - start)) / len(inner)
mib = lambda number: f"{number / (1 << 20):.1f} MiB"
print(f"start: {start:.2f} s of CPU with the jar, {start_zoomed:.2f} s where its textures are shown")
print(f"native: {natives} tiles, {native_ms:.1f} ms of CPU each, outer ones included")
print(f"with textures: {len(inner)} tiles, {inner_ms:.1f} ms of CPU each ({inner_ms / native_ms:.2f} of a native one), "
      f"{size / len(inner) / 1024:.0f} KiB each, {262144 * len(inner) / size:.1f} pixels a byte")
print(f"memory: {mib(plain_report['peak_memory_bytes'])} without textures, {mib(report['peak_memory_bytes'])} with them")
EOF
