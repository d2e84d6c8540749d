#!/usr/bin/env bash
# `pixelmap serve` beside other servers of files: requests a second, waits, and CPU.
#
#   benches/serve.sh [REQUESTS [ROUNDS]]     20,000 requests a round and 5 rounds by default
#
# Draws the demo world and asks for its largest tile over 32 connections that stay open, with `ab`, from each server in
# turn. nginx and Caddy take part where they are installed. Prints the medians of all rounds: requests a second, half of
# the waits and 99 % of them in ms, and CPU of the server in µs a request.
set -euo pipefail
requests=${1:-20000}
rounds=${2:-5}
cd "$(dirname "$0")/.."
command -v ab >/dev/null || { echo "NOT MEASURED: there is no ab: install the package apache2-utils" >&2; exit 1; }
cargo build --release --locked --quiet
program=$(realpath "${CARGO_TARGET_DIR:-target}/release/pixelmap")

work=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
"$program" render fixtures/demo -o "$work/map" --quiet
chmod 755 "$work"
tile=$(cd "$work/map" && find . -name '*.png' -printf '%s %P\n' | sort -n | tail -1 | cut -d' ' -f2)

"$program" serve "$work/map" --listen 127.0.0.1:0 2>"$work/told" &
servers+=($!)
names=(pixelmap)
until [ -s "$work/told" ]; do sleep 0.1; done
urls=("$(cat "$work/told")")
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
if command -v nginx >/dev/null; then
    port=$(free_port)
    cat >"$work/nginx.conf" <<END
daemon off; master_process off; pid $work/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
    types { image/png png; }
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
    server { listen 127.0.0.1:$port; root $work/map; }
}
END
    nginx -c "$work/nginx.conf" &
    servers+=($!) names+=(nginx) urls+=("http://127.0.0.1:$port/")
else
    echo "NOT MEASURED: nginx, which is not installed" >&2
fi
if command -v caddy >/dev/null; then
    port=$(free_port)
    GOMAXPROCS=1 caddy file-server --root "$work/map" --listen "127.0.0.1:$port" >"$work/caddy.log" 2>&1 &
    servers+=($!) names+=(caddy) urls+=("http://127.0.0.1:$port/")
else
    echo "NOT MEASURED: Caddy, which is not installed" >&2
fi
sleep 2

ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
for ((round = 0; round < rounds; round++)); do
    for index in "${!names[@]}"; do
        before=$(ticks "${servers[index]}")
        ab -q -k -c 32 -n "$requests" "${urls[index]}$tile" >"$work/ab" 2>/dev/null
        after=$(ticks "${servers[index]}")
        grep -q '^Failed requests: *0$' "$work/ab" || { echo "${names[index]} failed" >&2; exit 1; }
        awk -v ticks=$((after - before)) -v requests="$requests" -v hertz="$(getconf CLK_TCK)" \
            '/^Requests per second/ { rate = $4 } $1 == "50%" { half = $2 } $1 == "99%" { most = $2 }
             END { print rate, half, most, ticks * 1e6 / hertz / requests }' "$work/ab" >>"$work/${names[index]}.tsv"
    done
done
median() { cut -d' ' -f"$2" "$work/$1.tsv" | sort -n | sed -n "$((rounds / 2 + 1))p"; }
echo "$(stat -c %s "$work/map/$tile") bytes, $requests requests a round, $rounds rounds, $(nproc) cores"
for name in "${names[@]}"; do
    printf '%-9s %8.0f requests/s   50 %%: %s ms   99 %%: %s ms   %5.0f µs of CPU a request\n' \
        "$name" "$(median "$name" 1)" "$(median "$name" 2)" "$(median "$name" 3)" "$(median "$name" 4)"
done
