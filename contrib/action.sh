#!/usr/bin/env bash
# The steps of action.yml, which hands over its inputs as INPUT_*: place, get, check, summary.
# Contains only the code for GitHub's runners: check-map.sh checks a map, and get-pixelmap.sh gets the program.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Passes a value to later steps.
output() {
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Shows an error on the page of the job, with the world as its title.
error() {
    local text=$1 title=${INPUT_SUITE:-${INPUT_WORLD:-pixelmap}}
    for name in text title; do
        local value=${!name}
        value=${value//'%'/%25} value=${value//$'\r'/%0D} value=${value//$'\n'/%0A}
        printf -v "$name" %s "$value"
    done
    title=${title//:/%3A} title=${title//,/%2C}
    echo "::error title=$title::$text"
}

# Prints the lines of an input that are not empty, without blanks around them.
lines() {
    tr -d '\r' <<<"$1" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d'
}

# Outputs the folder of the program and the address of the releases. Reads the repository in the first step, because
# after another action the runner reports the repository of that action.
place() {
    if [ "${RUNNER_OS:-}" = Windows ]; then
        error "this action is for runners with Linux or macOS"
        exit 2
    fi
    output folder "$RUNNER_TEMP/pixelmap-program"
    output name "$("$here/get-pixelmap.sh" --name)"
    output releases "${GITHUB_SERVER_URL:-https://github.com}/${ACTION_REPOSITORY:-${GITHUB_REPOSITORY:-}}/releases/download"
}

get() {
    local program
    program=$("$here/get-pixelmap.sh" "$FOLDER" "$RELEASES") || {
        error "there is no program for this runner: the lines above tell why"
        exit 2
    }
    output program "$program"
}

# Fills `options` with the options for check-map.sh, and `drawing` with the options for render.
read_inputs() {
    local line word
    options=() drawing=()
    if [ -z "$INPUT_DIGEST$INPUT_BASELINE" ]; then
        error "give digest, baseline or both: there is nothing to compare the map with"
        exit 2
    fi
    [ -z "$INPUT_DIGEST" ] || options+=(--digest "$INPUT_DIGEST")
    [ -z "$INPUT_BASELINE" ] || options+=(--baseline "$INPUT_BASELINE" --suite "${INPUT_SUITE:-$INPUT_WORLD}")
    [ -z "$INPUT_TOLERANCE" ] || options+=(--tolerance "$INPUT_TOLERANCE")
    [ -z "$INPUT_MAX_CHANGED" ] || options+=(--max-changed "$INPUT_MAX_CHANGED")
    [ -z "$INPUT_AREA" ] || options+=(--area "$INPUT_AREA")
    while IFS= read -r line; do options+=(--layer "$line"); done < <(lines "$INPUT_LAYERS")
    while IFS= read -r line; do options+=(--ignore "$line"); done < <(lines "$INPUT_IGNORE")
    case $INPUT_UPDATE in
    true) options+=(--update) ;;
    false | '') ;;
    *)
        error "update is true or false, not $INPUT_UPDATE"
        exit 2
        ;;
    esac
    # Each line is an option, and a blank or = separates its value. Further blanks are part of the value.
    while IFS= read -r line; do
        word=${line%%[[:space:]]*}
        case $word in
        "$line" | *=*) drawing+=("$line") ;;
        -*) drawing+=("$word" "$(lines "${line#"$word"}")") ;;
        *) drawing+=("$line") ;;
        esac
    done < <(lines "$INPUT_OPTIONS")
}

check() {
    local code=0 number=1 room map told outcome='' artifact
    read_inputs
    # Separate outputs, because a job may check several worlds.
    until mkdir "$RUNNER_TEMP/pixelmap-$number" 2>/dev/null; do
        [ -e "$RUNNER_TEMP/pixelmap-$number" ] || exit 2
        number=$((number + 1))
    done
    room=$RUNNER_TEMP/pixelmap-$number map=${INPUT_OUTPUT%/}
    if [ -z "$map" ]; then
        # An archive or a picture can only be compared with and replaced by a file of the same kind.
        case $INPUT_BASELINE in
        *.pmtiles | *.png | *.webp) map=$room/map.${INPUT_BASELINE##*.} ;;
        *) map=$room/map ;;
        esac
    fi
    { "$here/check-map.sh" "${options[@]}" "$INPUT_WORLD" "$map" ${drawing[@]+"${drawing[@]}"} 2>&1 >"$room/told" |
        tee "$room/log" >&2; } || code=$?
    cat "$room/told"
    told=$(<"$room/told")
    case $told in
    *differs:*) outcome=differs ;;
    *same:*) outcome=same ;;
    esac
    output outcome "$outcome"
    output map "$map"
    if [ -n "$told" ]; then output digest "$("$PIXELMAP" verify "$map" --digest -q)"; fi
    if [ "$outcome" = differs ] && [ -f "$map.diff/summary.md" ]; then
        artifact=map-differences-$GITHUB_JOB
        if [ "${JOB_TOTAL:-1}" -gt 1 ]; then artifact+=-$JOB_INDEX; fi
        if [ "$number" -gt 1 ]; then artifact+=-$number; fi
        output left "$map.diff"
        output artifact "${INPUT_ARTIFACT:-$artifact}"
    fi
    case $code in
    0) ;;
    1) error "$told" ;;
    3) error "chunks could not be read: they are named above"$'\n'"$told" ;;
    *)
        # Only the messages, without the usage text after an error of the command line.
        told=$(grep -E '^(error|pixelmap|check-map\.sh): ' "$room/log") || told=$(tail -n 1 "$room/log")
        error "$told"
        ;;
    esac
    exit $code
}

# Shows the differences on the page of the job, which can only link to pictures.
summary() {
    [ -n "$LEFT" ] || return 0
    {
        echo "## ${INPUT_SUITE:-$INPUT_WORLD}"
        echo
        sed '/^!\[/d; 1s/^## Map: //' "$LEFT/summary.md"
        echo
        echo "[Pictures of the differences](${LINK:-$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID#artifacts})"
    } >>"$GITHUB_STEP_SUMMARY"
}

"$1"
