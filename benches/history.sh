#!/usr/bin/env bash
# Measures the cost of a map with history: a world of 200 regions, drawn night after night.
#
#   benches/history.sh [NIGHTS [WORLD]]     365 nights of the demo world by default
#
# Makes a world of 200 regions from the region files of WORLD's overworld; at first it has half of its chunks. Each
# night changes four regions at random. Of the changed chunks 73 % are new, 19 % are only saved again, and 8 % have
# other blocks, as on a server that we observed for months. Each night is drawn into a map with history and into one
# without. Prints the costs of both and the size of the history. Needs python3, and in the end 1 GB for the demo world.
set -euo pipefail
nights=${1:-365}
world=$(realpath "${2:-$(dirname "$0")/../fixtures/demo}")
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet
program=$(realpath "${CARGO_TARGET_DIR:-target}/release/pixelmap")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B benches/history.py "$program" "$nights" "$world" "$work"
