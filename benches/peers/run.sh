#!/usr/bin/env bash
# Makes docs/benchmarks.md and its chart: runs pixelmap and other map renderers in turn on the same worlds.
#
#   benches/peers/run.sh [WORLD]...        ROUNDS=3 rounds by default, SIDE=4 times 4 islands
#
# The first world is generated (benches/islands.rs), 64 regions of 1.18.2. Each WORLD is a further one: a folder, or
# NAME=FOLDER to set its name on the page. MinedMap (crate `minedmap`, which needs a C compiler and cmake) and `anvil`
# (crate `fastnbt-tools`) are installed under target/peers. Programs that no registry offers are measured if a variable
# gives a path: FORK=PATH@VERSION (smol-kitten/MinedMap), CHUNKMAP=PATH@VERSION (sodium-labs/chunkmap),
# BEDROCK_RENDER=PATH@VERSION (the example render_web_map of BE-Community-Dev/bedrock-render, with its feature `png`).
# Linux; needs python3, and taskset for chunkmap.
set -euo pipefail
worlds=()
for world in "$@"; do
    name=
    [[ $world != *=* ]] || name=${world%%=*}=
    worlds+=("$name$(realpath "${world#*=}")")
done
cd "$(dirname "$0")/../.."
peers=$PWD/target/peers
minedmap=2.8.0
anvil=0.27.0

install() {
    [ -x "$peers/bin/$3" ] || cargo install --locked --root "$peers" --version "$2" "$1"
}
# Uses their own choice of compiler instead of the one that this package pins.
(cd / && install minedmap "$minedmap" minedmap)
(cd / && install fastnbt-tools "$anvil" anvil) || { echo "anvil cannot be built here and is left out" >&2; anvil=; }
cargo build --profile dist --locked --quiet
program=$(realpath "${CARGO_TARGET_DIR:-target}/dist/pixelmap")
# Prints the path of a built bench.
bench() {
    realpath "$(cargo bench --locked --no-run --bench "$1" 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$(bench islands)" "$work/islands" "${SIDE:-4}"
version=$("$program" --version)
python3 -B benches/peers/measure.py "${ROUNDS:-3}" "floor=$(bench whole)@" "pixelmap=$program@${version##* }" \
    "minedmap=$peers/bin/minedmap@$minedmap" "anvil=${anvil:+$peers/bin/anvil@$anvil}" "fork=${FORK:-}" \
    "chunkmap=${CHUNKMAP:-}" "bedrock-render=${BEDROCK_RENDER:-}" -- "generated islands of 1.18.2=$work/islands" "${worlds[@]}"
