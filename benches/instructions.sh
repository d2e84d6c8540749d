#!/usr/bin/env bash
# Counts the instructions of each stage per chunk. Fails if a stage needs over 5 % more than before.
#
#   benches/instructions.sh            compares with benches/instructions.tsv
#   benches/instructions.sh --bless    replaces it: commit it with the change that is worth the cost
#
# The program, built as `release`, draws the demo world under valgrind with one thread. Four regions of the world are
# copied next to the originals, so that there are seams and parent tiles. Only code of this repository is counted: not
# inflate, deflate, hashes and checksums, which choose their instructions by the CPU, nor the C library. So the counts
# are the same on every machine, except for less than a ten-thousandth in tables with random keys. A change may also
# move a count by a few percent because the compiler divides a crate differently.
set -euo pipefail
cd "$(dirname "$0")/.."
baseline=benches/instructions.tsv
tolerance=5

left_out() {
    echo "LEFT OUT: the instructions of the stages were not counted: $1" >&2
    exit 0
}
[ "$(uname -sm)" = "Linux x86_64" ] || left_out "the baseline is of Linux on x86-64"
command -v valgrind >/dev/null || left_out "valgrind is not there"
compiler=$(rustc --version | cut -d' ' -f1-2)
if [ "${1:-}" != --bless ] && ! grep -qxF "# $compiler" "$baseline"; then
    left_out "$baseline is of another compiler than $compiler"
fi

cargo build --release --locked --quiet
program=${CARGO_TARGET_DIR:-target}/release/pixelmap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/region"
cp fixtures/demo/region/r.*.mca "$work/region"
cp fixtures/demo/region/r.-1.0.mca "$work/region/r.1.0.mca"
cp fixtures/demo/region/r.-1.-1.mca "$work/region/r.1.-1.mca"
# Old times, because files written a moment ago are read more carefully, and the counts are for a world at rest.
sleep 3
# Function names include their callers, so that the cost of a shared function is counted for the stage that called it.
valgrind --tool=callgrind --callgrind-out-file="$work/costs" --separate-callers=24 --compress-strings=no \
    --compress-pos=no "$program" render "$work/region" -o "$work/map" --threads 1 --quiet --report "$work/report" \
    2>"$work/says" || { cat "$work/says" >&2; exit 1; }
chunks=$(awk -F'[:,]' '/"drawn"/ { count = $2 } END { print count + 0 }' "$work/report")

awk -v chunks="$chunks" '
    BEGIN {
        count = split("parse scan draw encode hash reduce region", stages)
        # The first stage found among the callers counts; region gets the rest.
        entry["parse"] = "pixelmap_world::chunk::view::chunk::Chunk::parse\047"
        entry["scan"] = "pixelmap_paint::surface::scan::scan\047"
        entry["draw"] = "pixelmap_paint::layers::land::day::Day::draw\047"
        entry["encode"] = "pixelmap_tile::encode::Encoder::png\047"
        entry["hash"] = "pixelmap_tile::encode::pixel_hash\047"
        entry["reduce"] = "pixelmap_tile::reduce::Quarter::from_colours\047"
        entry["region"] = "::draw_region\047"
    }
    function stage_of(callers,    i) {
        if (callers ~ /libdeflate|crc32fast|twox_hash/) return ""
        for (i = 1; i <= count; i++) if (index(callers, entry[stages[i]])) return stages[i]
        return ""
    }
    /^ob=/ { ours = /\/pixelmap$/; next }
    /^fn=/ { stage = ours ? stage_of(substr($0, 4)) : ""; next }
    # Skips the next line, the cost of the call, because it is counted in the called function.
    /^calls=/ { getline; next }
    /^[0-9+*-]/ { if (stage != "") sum[stage] += $2 }
    END {
        for (i = 1; i <= count; i++) {
            if (!sum[stages[i]]) {
                print "no instruction of stage " stages[i] ": has its function another name?" >"/dev/stderr"
                exit 1
            }
            printf "%s\t%.1f\n", stages[i], sum[stages[i]] / chunks
        }
    }
' "$work/costs" >"$work/counts"

if [ "${1:-}" = --bless ]; then
    {
        echo "# Instructions of each stage a chunk of the demo world: see benches/instructions.sh."
        echo "# $compiler"
        cat "$work/counts"
    } >"$baseline"
    cat "$baseline"
    exit
fi
awk -F'\t' -v tolerance="$tolerance" -v baseline="$baseline" '
    /^#/ { next }
    NR == FNR { before[$1] = $2; next }
    {
        change = before[$1] ? 100 * ($2 / before[$1] - 1) : 100
        printf "%-8s %10.1f instructions a chunk, %10.1f before, %+.2f %%\n", $1, $2, before[$1], change
        if (change > tolerance) worse = worse " " $1
        if (change < -tolerance) better = better " " $1
    }
    END {
        if (better != "") print "better by more than " tolerance " %:" better "; bless it, so that it stays so"
        if (worse != "") {
            print "worse by more than " tolerance " %:" worse "; where that is worth it: benches/instructions.sh --bless"
            exit 1
        }
    }
' "$baseline" "$work/counts"
