#!/usr/bin/env bash
# Measures the costs that grow with a world: list of regions, plan, records, lists of tiles, merge.
#
#   benches/million.sh [REGIONS]...     10,000, 100,000 and 1,000,000 by default
#
# Makes worlds of REGIONS region files in a temporary folder. The files are links to a small one of fixtures/ (in memory
# with TMPDIR=/dev/shm; a million regions need 10 GB there). Prints seconds and memory for each world: of the plan for
# 128 shards; of one shard of 100; of the whole world in four shards, in seconds per shard; of the merge, and of a
# second merge that finds everything unchanged; of a plain run that finds everything unchanged. Also prints the bytes
# per region of the journal, the manifest, map.json and the lists of tiles. Worlds of more than DRAWN regions (default:
# 100,000) draw only the shard of 100.
set -euo pipefail
[ $# -gt 0 ] || set -- 10000 100000 1000000
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet
program=$(realpath "${CARGO_TARGET_DIR:-target}/release/pixelmap")
source=$(realpath fixtures/layout-custom/DIM7/region/r.0.0.mca)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs the program with "$@". Prints the step, its seconds, its memory, and the memory per region above that of a world
# with one region.
measured() {
    local what=$1 start peak=0 now
    shift
    start=$(date +%s%N)
    "$program" "$@" >"$work/out" 2>"$work/told" &
    local pid=$!
    while now=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
        peak=$now
        sleep 0.02
    done
    wait "$pid" || { [ $? = 3 ] || { cat "$work/told" >&2; exit 1; }; }
    awk -v what="$what" -v ns=$(($(date +%s%N) - start)) -v peak="$peak" -v regions="$regions" 'BEGIN {
        printf "  %-28s %8.2f s  %7.1f MiB, %4.0f bytes a region\n", what, ns / 1e9, peak / 1024, peak * 1024 / regions }'
}
# Prints the bytes per region of files.
bytes() {
    local what=$1
    shift
    { cat "$@" 2>/dev/null || true; } | wc -c | awk -v what="$what" -v regions="$regions" '{
        printf "  %-28s %8.1f bytes a region\n", what, $1 / regions }'
}

for regions in "$@"; do
    rm -rf "$work"/{world,map,shard,archive.pmtiles}
    mkdir -p "$work/world/region"
    # A file may have about 65,000 names, so each group of links needs its own file.
    perl -e '
        my ($source, $folder, $regions) = @ARGV;
        my $side = int(sqrt($regions - 1)) + 1;
        for my $at (0 .. $regions - 1) {
            my $copy = "$folder/../copy." . int($at / 50000);
            system("cp", $source, $copy) unless -e $copy;
            my $name = sprintf("%s/r.%d.%d.mca", $folder, $at % $side - int($side / 2), int($at / $side) - int($side / 2));
            link($copy, $name) or die "$name: $!";
        }' "$source" "$work/world/region" "$regions"
    echo "$regions regions"
    measured "plan for 128 shards" render "$work/world/region" -o "$work/map" --dry-run --shards 128 --json
    sed 's/.*"largest_over_mean":\([0-9.]*\),"edges_read_twice":\([0-9.]*\).*/  longest shard over mean \1, edges read twice \2/' \
        "$work/out"
    measured "shard 1/100" render "$work/world/region" -o "$work/shard" --shard 1/100 -q
    measured "merge of it alone" merge "$work/shard" -o "$work/map" --allow-missing -q
    [ "$regions" -le "${DRAWN:-100000}" ] || continue
    rm -rf "$work/map"
    for shard in 1 2 3 4; do
        measured "shard $shard/4" render "$work/world/region" -o "$work/map" --shard "$shard/4" -q
    done
    measured "merge of four" merge -o "$work/map" -q
    measured "merge again" merge -o "$work/map" -q
    measured "plain run, all unchanged" render "$work/world/region" -o "$work/map" -q
    measured "merge to an archive" merge "$work/map" -o "$work/archive.pmtiles" -q
    bytes "journal" "$work/map/.pixelmap/journal"
    bytes "journals of the parts" "$work/map/.pixelmap/parts/"*/journal
    bytes "manifest" "$work/map"/*/day/tiles.tsv
    bytes "map.json" "$work/map/map.json"
    bytes "lists of tiles" "$work/map"/*/day/tiles-*.js
done
