#!/usr/bin/env bash
# Measures the speed-up from 1 thread to all cores, on a world replicated to hundreds of regions.
#
#   benches/scaling.sh WORLD [REGIONS [ROUNDS]]     200 regions and 3 rounds by default
#
# Links the region files of WORLD's overworld again and again into a square of regions in a temporary folder, so that
# every run does the same natural work. Only the seams between copies are not natural, which costs no time. Prints for
# each number of threads the smallest wall time of all rounds, the speed-up over 1 thread, and the speed-up per thread.
set -euo pipefail
world=${1:?give a world folder}
regions=${2:-200}
rounds=${3:-3}
cd "$(dirname "$0")/.."
cargo build --profile dist --locked --quiet
program=$PWD/target/dist/pixelmap

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/region"
mapfile -t sources < <(find -L "$world" -path '*region/r.*.mca' -size +8k | grep -v -e /DIM -e _nether -e _the_end | sort)
[ "${#sources[@]}" -gt 0 ] || { echo "no region file in $world" >&2; exit 1; }
side=1
while ((side * side < regions)); do side=$((side + 1)); done
for ((index = 0; index < regions; index++)); do
    target=$work/region/r.$((index % side)).$((index / side)).mca
    source=${sources[index % ${#sources[@]}]}
    ln "$source" "$target" 2>/dev/null || cp "$source" "$target"
done

seconds_of() {
    rm -rf "$work/map"
    local start end
    start=$(date +%s%N)
    "$program" render "$work/region" -o "$work/map" --threads "$1" --quiet
    end=$(date +%s%N)
    echo $((end - start))
}

cores=$(nproc)
counts=(1)
while ((${counts[-1]} * 2 < cores)); do counts+=($((${counts[-1]} * 2))); done
((cores > 1)) && counts+=("$cores")
declare -A least
for ((round = 0; round < rounds; round++)); do
    for threads in "${counts[@]}"; do
        took=$(seconds_of "$threads")
        if [ -z "${least[$threads]:-}" ] || ((took < least[$threads])); then least[$threads]=$took; fi
    done
done
echo "$regions regions of $world, $rounds rounds, $cores cores"
for threads in "${counts[@]}"; do
    awk -v threads="$threads" -v took="${least[$threads]}" -v one="${least[1]}" \
        'BEGIN { printf "%4d threads %8.2f s  %6.2f times  %3.0f %%\n", threads, took / 1e9, one / took, 100 * one / took / threads }'
done
