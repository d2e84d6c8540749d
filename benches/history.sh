#!/usr/bin/env bash
# What a map that remembers costs: a world of 200 regions, drawn night after night.
#
#   benches/history.sh [NIGHTS [WORLD]]     365 nights of the demo world by default
#
# The region files of WORLD's overworld make a world of 200 regions, of which half of the chunks are there at first. Each
# night changes four of them at random: of the chunks that change 73 % are new, 19 % are only saved again, and 8 % have
# other blocks, as on a server that was looked at for months. Each night is drawn into a map with history and into one
# without. Prints what both take, and what the history weighs. Needs python3 and, full to its end, 1 GB for the demo world.
set -euo pipefail
nights=${1:-365}
world=$(realpath "${2:-$(dirname "$0")/../fixtures/demo}")
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet
program=$(realpath "${CARGO_TARGET_DIR:-target}/release/pixelmap")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B benches/history.py "$program" "$nights" "$world" "$work"
