#!/usr/bin/env bash
# pixelmap beside other map renderers on the same worlds, in turn: CPU, wall time, memory, bytes.
#
#   benches/peers/run.sh WORLD...        ROUNDS=5 rounds by default
#
# The peers are those that a package registry offers as programs that draw a map: MinedMap (crate `minedmap`, which needs
# a C compiler and cmake) and `anvil` (crate `fastnbt-tools`). They are installed under target/peers.
set -euo pipefail
[ $# -gt 0 ] || { echo "give one world folder or more" >&2; exit 2; }
worlds=()
for world in "$@"; do worlds+=("$(realpath "$world")"); done
cd "$(dirname "$0")/../.."
peers=$PWD/target/peers

install() {
    [ -x "$peers/bin/$3" ] || cargo install --locked --root "$peers" --version "$2" "$1"
}
# A compiler of their own choice, not the one that this package pins.
(cd / && install minedmap 2.8.0 minedmap)
(cd / && install fastnbt-tools 0.27.0 anvil) || echo "anvil cannot be built here and is left out" >&2
cargo build --profile dist --locked --quiet
floor=$(cargo bench --locked --no-run --bench whole 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')
program=$(realpath "${CARGO_TARGET_DIR:-target}/dist/pixelmap")
exec python3 benches/peers/measure.py "${ROUNDS:-5}" "$program" "$(realpath "$floor")" "$peers" "${worlds[@]}"
