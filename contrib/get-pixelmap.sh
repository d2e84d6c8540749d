#!/bin/sh
# Gets this version of the program for a CI job, on Linux and macOS, and prints its path.
#
#   contrib/get-pixelmap.sh FOLDER [RELEASES]
#   contrib/get-pixelmap.sh --name
#
# Uses a program that FOLDER already contains, so FOLDER can be in the cache of a job. Otherwise downloads it from
# RELEASES/vVERSION/ and compares it with SHA256SUMS there; RELEASES is an address such as
# https://github.com/OWNER/pixelmap/releases/download. Otherwise cargo builds it from this source, with the toolchain of
# rust-toolchain.toml. --name prints the name of the program in FOLDER, which differs by source, version and system.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

# Runners of GitHub show this line on the page of the job.
warn() {
    echo "${GITHUB_ACTIONS:+::warning::}get-pixelmap.sh: $1" >&2
}

# Prints the checksum of each file, or of standard input.
sums() {
    if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

system=$(uname -s)-$(uname -m)
case $system in
Linux-x86_64) target=x86_64-unknown-linux-musl ;;
Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
Darwin-x86_64) target=x86_64-apple-darwin ;;
Darwin-arm64) target=aarch64-apple-darwin ;;
*) target='' ;;
esac
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
# ImageOS is the runner's system with its version, because a program built on a newer system may not run on an older
# one.
source=$(cd "$root" && find Cargo.toml Cargo.lock rust-toolchain.toml crates src -type f | LC_ALL=C sort |
    xargs cat | sums | cut -c 1-12)
name=pixelmap-$version-${target:-$system}${ImageOS:+-$ImageOS}-$source
if [ "${1:-}" = --name ]; then
    echo "$name"
    exit
fi
if [ $# -lt 1 ] || [ -z "$1" ]; then
    sed -n '4,5s/^#  */usage: /p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd) releases=${2:-}
program=$folder/$name

# Returns whether a file is this version of the program and runs on this machine.
runs() {
    [ "$("$1" --version 2>/dev/null)" = "pixelmap $version" ]
}

# Downloads the program into the folder `new`.
download() {
    archive=pixelmap-v$version-$target.tar.gz
    from=$releases/v$version
    for file in "$archive" SHA256SUMS; do
        curl -fsSL --connect-timeout 20 --max-time 300 --retry 2 -o "$new/$file" "$from/$file" || {
            warn "$from/$file could not be downloaded"
            return 1
        }
    done
    expected=$(awk -v file="$archive" '$2 == file || $2 == "*" file { print $1; exit }' "$new/SHA256SUMS")
    if [ "$(sums "$new/$archive" | cut -d ' ' -f 1)" != "$expected" ]; then
        warn "$from/$archive has not the checksum that SHA256SUMS names (${expected:-none}), and is not used"
        return 1
    fi
    tar -C "$new" -xzf "$new/$archive" || return 1
    find "$new" -name pixelmap -type f -perm -100 -exec mv {} "$new/program" \;
    runs "$new/program" || {
        warn "the program of $from/$archive is not version $version, or does not run here"
        return 1
    }
}

# Builds the program without the settings that the job has for its own crates.
build() {
    command -v cargo >/dev/null || {
        warn "there is no cargo to build pixelmap with: install Rust (https://rustup.rs)"
        return 2
    }
    (
        unset RUSTUP_TOOLCHAIN RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
        cd "$root" && cargo build --release --locked --target-dir "$new/target" >&2
    ) || return 2
    mv "$new/target/release/pixelmap" "$new/program"
}

if ! runs "$program"; then
    new=$(mktemp -d "$folder/new.XXXXXX")
    trap 'rm -rf "$new"' EXIT
    if [ -z "$releases" ] || [ -z "$target" ] || ! download; then
        warn "building pixelmap $version of its source, which takes minutes"
        build || exit 2
    fi
    mv -f "$new/program" "$program"
fi
echo "$program"
