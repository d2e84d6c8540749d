#!/usr/bin/env bash
# Measures how long a first look at `pixelmap serve WORLD` takes, on a world linked to thousands of regions.
#
#   benches/serve-world.sh WORLD [REGIONS]...     196, 2,000 and 40,000 regions by default
#
# Links the region files of WORLD's overworld into a square of regions in a temporary folder. The server draws only on
# demand. Prints for each number of regions, in ms since the start: when the page and its facts are ready, when the 16
# native tiles of a screen, and an outer tile of most of the map. Then the waits for tiles of all zoom levels at random
# places, one after another, and once more when they are drawn; the CPU time of ten idle seconds, and the memory. Then,
# for the first number of regions, the memory of `serve` and of `render` when they draw everything. If PICTURES names a
# folder, it gets eight pictures of a browser window that begins to pan over an undrawn map: the n-th is taken n/2
# seconds after the page is opened at a server that has just started.
set -euo pipefail
world=${1:?give a world folder}
shift
[ $# -gt 0 ] || set -- 196 2000 40000
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet
program=$(realpath "${CARGO_TARGET_DIR:-target}/release/pixelmap")
mapfile -t sources < <(find -L "$world" -path '*region/r.*.mca' -size +8k | grep -v -e /DIM -e _nether -e _the_end | sort)
[ "${#sources[@]}" -gt 0 ] || { echo "no region file in $world" >&2; exit 1; }

work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; wait; rm -rf "$work"' EXIT
now() { date +%s%N; }
since() { echo $((($(now) - start) / 1000000)); }
# Prints the time in ms that each address on standard input takes, one after another.
waits() { xargs -I{} curl -sf -o "$work/answer" -w '%{time_total}\n' {} | awk '{ print $1 * 1000 }' | sort -n; }
part() { awk -v part="$1" '{ of[NR] = $1 } END { at = int(NR * part / 100); print of[at < 1 ? 1 : at] }'; }

# Links $1 regions into a square.
link() {
    rm -rf "$work/region"
    mkdir "$work/region"
    side=1
    while ((side * side < $1)); do side=$((side + 1)); done
    awk -v regions="$1" -v side="$side" 'BEGIN { for (at = 0; at < regions; at++) print at % side, int(at / side), at }' |
        while read -r x z at; do ln -sf "$(realpath -s "${sources[at % ${#sources[@]}]}")" "$work/region/r.$x.$z.mca"; done
}
# Serves the square, with an empty folder for the map.
serve() {
    rm -rf "$work/map" "$work/told"
    "$program" serve "$work/region" -o "$work/map" "$@" --listen 127.0.0.1:0 2>"$work/told" &
    server=$!
    until [ -s "$work/told" ]; do sleep 0.01; done
    url=$(head -1 "$work/told")
}
end() { kill "$server" && wait "$server"; }
peak() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$server/status"; }

for regions in "$@"; do
    link "$regions"
    start=$(now)
    serve --on-demand
    curl -sf -o "$work/page" "$url" && curl -sf -o "$work/facts" "${url}map.js"
    page=$(since)
    start=$(now)
    for at in {0..15}; do echo "${url}overworld/day/17/$((side / 2 + at % 4))/$((side / 2 + at / 4)).png"; done |
        xargs -P 5 -I{} curl -sf -o /dev/null {}
    screen=$(since)
    outermost=$(grep -o '"min_zoom":[0-9]*' "$work/facts" | head -1 | cut -d: -f2)
    start=$(now)
    curl -sf -o "$work/outer" "${url}overworld/day/$outermost/0/0.png"
    outer=$(since)
    # The same places for the same number of regions.
    awk -v url="$url" -v side="$side" -v outermost="$outermost" 'BEGIN { srand(1); for (at = 0; at < 200; at++) {
        zoom = outermost + at % (18 - outermost); tiles = 2 ^ (17 - zoom);
        printf "%soverworld/day/%d/%d/%d.png\n", url, zoom, int(rand() * side / tiles), int(rand() * side / tiles) } }' >"$work/places"
    cold=$(waits <"$work/places")
    warm=$(waits <"$work/places")
    before=$(awk '{ print $14 + $15 }' "/proc/$server/stat")
    sleep 10
    idle=$(($(awk '{ print $14 + $15 }' "/proc/$server/stat") - before))
    memory=$(peak)
    end
    printf '%6d regions: page %d ms, 16 native tiles %d ms, outermost tile %d ms\n' "$regions" "$page" "$screen" "$outer"
    printf '   waits at random: 50 %% %.0f ms, 99 %% %.0f ms; again 50 %% %.1f ms, 99 %% %.0f ms\n' \
        "$(part 50 <<<"$cold")" "$(part 99 <<<"$cold")" "$(part 50 <<<"$warm")" "$(part 99 <<<"$warm")"
    printf '   idle for 10 s: %d ms of CPU; %d MiB at most\n' $((idle * 1000 / $(getconf CLK_TCK))) "$memory"
done

link "$1"
serve
until [ -e "$work/map/map.json" ]; do sleep 0.1; done
drawing=$(peak)
end
rm -rf "$work/map"
render=$("$program" render "$work/region" -o "$work/map" -q --report - | grep -o '"peak_memory_bytes": *[0-9]*' | grep -o '[0-9]*$')
printf '%6d regions, all drawn: serve %d MiB at most, render %d MiB\n' "$1" "$drawing" $((render >> 20))

if [ -n "${PICTURES:-}" ]; then
    mkdir -p "$PICTURES"
    for at in {1..8}; do
        serve --on-demand
        # A page that contains the map and moves it by a sixth of the window every half second.
        cat >"$work/map/pan.html" <<END
<body style="margin: 0"><iframe id="map" src="./#overworld/day/1024/1024/-1" style="border: 0; width: 100vw; height: 100vh"></iframe>
<script>let at = 0; setInterval(() => { at += 1; document.getElementById('map').contentWindow.location.hash = '#overworld/day/' + (1024 + 400 * at) + '/1024/-1'; }, 500);</script>
END
        chromium --headless --no-sandbox --disable-gpu --window-size=1200,700 --timeout=$((at * 500)) \
            --screenshot="$PICTURES/$at.png" "${url}pan.html" 2>/dev/null
        end
    done
fi
