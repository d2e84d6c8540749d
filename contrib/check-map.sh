#!/bin/sh
# Renders a world and checks whether its map has changed: for CI jobs and other scripts, on Linux and macOS.
#
#   contrib/check-map.sh [--digest HEX] [--baseline PATH] [OPTION]... WORLD OUT [OPTION OF RENDER]...
#   contrib/check-map.sh --update --baseline PATH [OPTION]... WORLD OUT [OPTION OF RENDER]...
#
# OUT is the new map. Its pixels must have the digest HEX, or equal an earlier map, or both. The earlier map (PATH) is a
# folder, a tiles.tsv of one layer, or an archive or a picture, if OUT is one as well.
#
#   --update: replace the earlier map after the comparison, or create it
#   --tolerance N, --max-changed N|P%, --ignore X0,Z0,X1,Z1|FILE (may be repeated), --suite NAME: as in diff
#   --area X0,Z0,X1,Z1, --dimension ID, --layer NAME (the last two may be repeated): draw and compare only this
#
# OUT.diff contains the JUnit report of the comparison (junit.xml) and shows the differences: difference.png,
# difference.html, summary.md and its pictures, diff.json. PIXELMAP is the program, if it is not on the path.
#
# Standard output is "same: DIGEST", or one line for each reason why the map differs.
# Exit code: 0 the same, 1 different, 2 wrong usage or trouble, 3 some chunks could not be read (the map is compared all
# the same), or the code of the render: 75 not now, 130 and 143 interrupted.
set -u

usage() {
    sed -n '4,5s/^#  */usage: /p' "$0" >&2
    exit 2
}

refuse() {
    echo "check-map.sh: $1" >&2
    exit 2
}

# Ends with the code of a failed command, but 2 instead of 1, because 1 means that the map differs.
fail() {
    if [ "$1" = 1 ]; then exit 2; fi
    exit "$1"
}

# Quotes each word for the shell.
quoted() {
    for word; do printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done
}

# Returns whether the file or folder $1 is or contains $2, following links. If $2 is missing, its folder counts.
holds() {
    sought=$2
    [ -e "$sought" ] || sought=$(dirname "$sought")
    [ -e "$1" ] && find -L "$1" -samefile "$sought" 2>/dev/null | grep -q .
}

# Refuses an earlier map that is the new one, because the map would be compared with itself.
refuse_itself() {
    if holds "$out" "$baseline"; then
        refuse "$baseline is the new map, or a part of it ($out): choose another place for the new map"
    fi
}

# Removes the files that show differences.
remove_shown() {
    for file in difference.png difference.html summary.md diff.json; do rm -f "$left/$file"; done
    rm -f "$left"/summary-[0-9].png "$left"/summary-[0-9][0-9].png
}

# Removes only the files that an earlier check left, so that nobody mistakes them for results of this one.
clear_left() {
    [ -e "$left" ] || return 0
    for input in "$world" "$baseline"; do
        if [ -n "$input" ] && holds "$left" "$input"; then
            refuse "$left is for the differences, but contains $input: choose another output"
        fi
    done
    if [ -n "$(ls -A "$left")" ]; then
        grep -qsxF "$mark" "$left/.gitignore" || refuse "no earlier check made $left: move it away"
        remove_shown
        rm -f "$left/junit.xml" "$left/removed.txt" "$left/.gitignore"
    fi
    rmdir "$left" 2>/dev/null
    return 0
}

# Compares the new map with the earlier one, with the options of diff that are given.
compare() {
    mkdir -p "$left" && printf '%s\n*\n' "$mark" >"$left/.gitignore" || exit 2
    # A manifest contains no pixels to show.
    case $baseline in
    *.tsv) ;;
    *) set -- "$@" --image "$left/difference.png" --html "$left/difference.html" ;;
    esac
    said=$("$pixelmap" diff "$baseline" "$out" "$@" --markdown "$left/summary.md" --junit "$left/junit.xml" \
        --json 2>&1 >"$left/diff.json")
    code=$?
    # Only the verdict, such as "differs: overworld/day 3 pixels (0.001 %) in -3,5 4,9", is written to standard output.
    [ $code != 1 ] || printf '%s\n' "$said" | grep '^differs: '
    printf '%s\n' "$said" | grep -v '^differs: ' >&2
    return $code
}

# Replaces the earlier map.
update() {
    refuse_itself
    from=$out
    case $baseline in
    *.pmtiles | *.png | *.webp) [ -f "$out" ] || refuse "$baseline is one file: let the new map have the same ending" ;;
    *.tsv)
        from=$(find "$out" -name tiles.tsv)
        [ "$(printf '%s\n' "$from" | wc -l)" -eq 1 ] ||
            refuse "$baseline lists one layer, but $out has several: choose one with --dimension and --layer"
        ;;
    esac
    if [ -f "$from" ]; then
        mkdir -p "$(dirname "$baseline")" && cp "$from" "$baseline.new" && mv -f "$baseline.new" "$baseline"
        return
    fi
    if [ -d "$baseline" ] && [ -n "$(ls -A "$baseline")" ]; then
        "$pixelmap" diff "$baseline" "$out" -q --deleted-list "$left/removed.txt" >/dev/null
        [ $? -le 1 ] || refuse "$baseline cannot be replaced: remove it first"
        while IFS= read -r file; do rm -f "$baseline/$file"; done <"$left/removed.txt"
        rm -f "$left/removed.txt"
    fi
    # Leaves out .pixelmap, because the state of a run is useful only on this machine.
    mkdir -p "$baseline" && tar -C "$out" --exclude ./.pixelmap -cf - . | tar -C "$baseline" -xf -
}

digest='' baseline='' update='' compared='' drawn=''
while [ $# -gt 0 ]; do
    option=$1
    case $option in
    --update)
        update=1
        shift
        continue
        ;;
    --*=*)
        shift
        set -- "${option%%=*}" "${option#*=}" "$@"
        continue
        ;;
    --*) ;;
    *) break ;;
    esac
    # An empty value is probably a variable that is not set; no option accepts one.
    if [ $# -lt 2 ] || [ -z "$2" ]; then usage; fi
    case $option in
    --digest) digest=$2 ;;
    --baseline) baseline=${2%/} ;;
    --tolerance | --max-changed | --ignore | --suite) compared="$compared$(quoted "$option" "$2")" ;;
    --area | --dimension | --layer)
        compared="$compared$(quoted "$option" "$2")"
        drawn="$drawn$(quoted "$option" "$2")"
        ;;
    *) usage ;;
    esac
    shift 2
done
if [ $# -lt 2 ] || [ -z "$1" ] || [ -z "$2" ]; then usage; fi
world=$1 out=${2%/} left=${2%/}.diff
shift 2
for option; do
    [ "$option" != --dry-run ] || refuse "--dry-run draws no map to check: leave it out"
done
[ -n "$digest$baseline" ] || usage
if [ -z "$baseline" ] && [ "$compared" != "$drawn" ]; then
    refuse "a digest covers every pixel: --tolerance, --max-changed, --ignore and --suite are for --baseline"
fi
if [ -n "$update" ]; then
    [ -n "$baseline" ] || refuse "--update replaces the map of --baseline: give --baseline as well"
    if holds "$world" "$baseline"; then
        refuse "$baseline would overwrite the world: choose another place for the earlier map"
    fi
    [ -z "$digest" ] || refuse "--update and --digest exclude each other: pixelmap verify $out --digest prints the new digest"
elif [ -n "$baseline" ]; then
    [ -e "$baseline" ] || refuse "there is no earlier map at $baseline: --update makes it"
fi
mark='# Written by check-map.sh'
pixelmap=${PIXELMAP:-pixelmap}
[ -z "$baseline" ] || refuse_itself
clear_left

eval "set -- $drawn $(quoted "$@")"
rendered=0
"$pixelmap" render "$world" -o "$out" "$@" || rendered=$?
# A map with gaps can still be compared.
[ $rendered = 0 ] || [ $rendered = 3 ] || fail $rendered
found=$("$pixelmap" verify "$out" --digest) || fail $?

same=same differs=0
if [ -n "$digest" ] && [ "$found" != "$digest" ]; then
    echo "differs: the digest is $found, $digest was pinned"
    differs=1
fi
if [ -e "$baseline" ]; then
    eval "set -- $compared"
    code=0
    compare "$@" || code=$?
    case $code in
    0) remove_shown ;;
    1)
        differs=1
        echo "check-map.sh: $left shows the differences" >&2
        ;;
    *)
        [ -z "$update" ] || echo "check-map.sh: to replace $baseline, remove it first" >&2
        exit $code
        ;;
    esac
elif [ -n "$baseline" ]; then
    same=new
fi
[ $differs = 1 ] || echo "$same: $found"
if [ $rendered != 0 ]; then
    [ -z "$update" ] || echo "check-map.sh: $baseline was not updated, because some chunks could not be read" >&2
    exit $rendered
fi
[ -n "$update" ] || exit $differs
update || refuse "$baseline could not be written"
echo "updated: $baseline"
