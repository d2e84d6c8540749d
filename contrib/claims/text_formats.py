"""Readers for the parts of YAML and SNBT that the plugins and mods write."""

import re

PLAIN = re.compile(r"[^,\[\]{}\n]+")
KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"\[{&*!|>%@-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*)|$)""", re.S)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def unquoted(text):
    """Returns a scalar: the content of a quoted text, a number, true, false, or the text itself."""
    if text[:1] == '"':
        return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", escape, text[1:-1])
    if text[:1] == "'":
        return text[1:-1].replace("''", "'")
    text = text.strip()
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d*\.?\d+([eE][-+]?\d+)?", text):
        return float(text)
    return {"true": True, "false": False, "null": None, "~": None, "": None}.get(text, text)


def escape(match):
    letter = match[1]
    return chr(int(letter[1:], 16)) if len(letter) == 5 else ESCAPES.get(letter, letter)


def flow(text, plain=PLAIN, at=0):
    """Reads a value in braces, brackets, quotes or plain; returns it with the place behind it. Commas may be missing."""
    space = re.compile(r"(?:[\s,]|#[^\n]*|//[^\n]*)*")
    at = space.match(text, at).end()
    if text[at] in "{[":
        closing = "}" if text[at] == "{" else "]"
        made = {} if closing == "}" else []
        # A list of numbers of one type begins with its letter, as in [I; 1, 2].
        at = re.compile(r"[\[{](\s*[BIL];)?").match(text, at).end()
        while True:
            at = space.match(text, at).end()
            if text[at] == closing:
                return made, at + 1
            if closing == "]":
                value, at = flow(text, plain, at)
                made.append(value)
                continue
            key = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^:,{}\s][^:,{}\n]*?)\s*(:|(?=[,}]))\s*""").match(text, at)
            if not key:
                raise ValueError(f"not understood: {text[at:at + 40]!r}")
            made[str(unquoted(key[1]))], at = flow(text, plain, key.end()) if key[2] else (None, key.end())
    quoted = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", re.S).match(text, at)
    found = quoted or plain.match(text, at)
    if not found:
        raise ValueError(f"not understood: {text[at:at + 40]!r}")
    return unquoted(found[0]), found.end()


def snbt(text):
    """Reads the SNBT of FTB's mods, whose entries end with their line, or JSON 5."""
    letters = re.compile(r"[^\s,\[\]{}]+")
    try:
        value, _ = flow(text, letters)
    except IndexError:
        raise ValueError("the file ends early") from None
    return value


def number(value):
    """Returns a number of SNBT, such as 12, -3b or 1690000000000L."""
    return int(str(value).rstrip("bBsSlLdDfF"))


def yaml(text):
    """Reads mappings and lists by their indentation, with values in braces, brackets, quotes or plain."""
    lines = [(len(line) - len(line.lstrip(" ")), line.strip()) for line in text.splitlines()]
    lines = [(indent, line) for indent, line in lines if line and not line.startswith(("#", "---", "%"))]
    value, at = block(lines, 0, -1)
    if at < len(lines):
        raise ValueError(f"not understood: {lines[at][1][:40]!r}")
    return value or {}


def block(lines, at, above):
    """Reads the lines that are further in than the line above them."""
    if at == len(lines) or lines[at][0] <= above:
        return None, at
    indent = lines[at][0]
    if lines[at][1].startswith("- ") or lines[at][1] == "-":
        return entries(lines, at, indent)
    made = {}
    while at < len(lines) and lines[at][0] == indent:
        key = KEY.fullmatch(lines[at][1])
        if not key:
            raise ValueError(f"not understood: {lines[at][1][:40]!r}")
        name, rest = str(unquoted(key[1])), key[2] or ""
        if rest and not rest.startswith("#"):
            made[name], at = scalar(lines, at, indent, rest)
        elif at + 1 < len(lines) and lines[at + 1][0] == indent and lines[at + 1][1].startswith("-"):
            # A list may be no further in than its key.
            made[name], at = entries(lines, at + 1, indent)
        else:
            made[name], at = block(lines, at + 1, indent)
    return made, at


def entries(lines, at, indent):
    made = []
    while at < len(lines) and lines[at][0] == indent and (lines[at][1].startswith("- ") or lines[at][1] == "-"):
        rest = lines[at][1][1:].strip()
        if rest and KEY.fullmatch(rest) and rest[0] not in "{[\"'":
            lines[at] = (indent + 2, rest)
            value, at = block(lines, at, indent)
        elif rest:
            value, at = scalar(lines, at, indent, rest)
        else:
            value, at = block(lines, at + 1, indent)
        made.append(value)
    return made, at


def scalar(lines, at, indent, rest):
    """Reads a value that begins on a line; it continues on the lines that are further in."""
    parts, at = [rest], at + 1
    while at < len(lines) and lines[at][0] > indent:
        parts.append(lines[at][1])
        at += 1
    if rest[0] in "|>":
        return "\n".join(parts[1:]), at
    text = " ".join(parts)
    if rest[0] in "{[\"'":
        try:
            return flow(text)[0], at
        except IndexError:
            raise ValueError(f"ends early: {text[:40]!r}") from None
    return unquoted(re.split(r"\s#", text)[0]), at
