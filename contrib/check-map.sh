#!/bin/sh
# Renders a world and says in one line whether its map is as it was: for CI jobs and other scripts.
#
#   contrib/check-map.sh --digest HEX  WORLD OUT [OPTION OF RENDER]...
#   contrib/check-map.sh --baseline DIR WORLD OUT [OPTION OF RENDER]...
#
# OUT is the folder of the new map. With --baseline it is compared with an earlier map, pixel by pixel; what differs
# is left in OUT.diff: difference.png, summary.md, junit.xml, diff.json. With --digest only the digest of its pixels is.
# PIXELMAP names the program where it is not on the path.
#
# Exit code: 0 the same, 1 differs, 2 wrong usage or trouble, else that of the render: 3 where chunks could not be read.
set -u

# The code 1 says that the map differs, so a render or check that fails is trouble.
fail() {
    if [ "$1" = 1 ]; then exit 2; fi
    exit "$1"
}

usage() {
    sed -n '4,5s/^#  */usage: /p' "$0" >&2
    exit 2
}

[ $# -ge 4 ] || usage
kind=$1 expected=$2 world=$3 out=${4%/}
shift 4
case $kind in --digest | --baseline) ;; *) usage ;; esac
[ -n "$expected" ] || usage
# What an earlier check left there says nothing of this one.
rm -rf "$out.diff"
pixelmap=${PIXELMAP:-pixelmap}

"$pixelmap" render "$world" -o "$out" "$@" || fail $?
found=$("$pixelmap" verify "$out" --digest) || fail $?

case $kind in
--digest)
    if [ "$found" = "$expected" ]; then
        echo "same: $found"
        exit 0
    fi
    echo "differs: the digest is $found, $expected was pinned"
    exit 1
    ;;
--baseline)
    left=$out.diff
    mkdir -p "$left" || exit 2
    "$pixelmap" diff "$expected" "$out" --image "$left/difference.png" --markdown "$left/summary.md" \
        --junit "$left/junit.xml" --json >"$left/diff.json"
    code=$?
    case $code in
    0)
        rm -rf "$left"
        echo "same: $found"
        ;;
    1) echo "differs: see $left/difference.png" ;;
    esac
    exit $code
    ;;
esac
