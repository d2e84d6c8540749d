"""Reads databases of SQLite without changing them, and the binary JSON that SQLite stores in them."""

import json
import sqlite3
from contextlib import closing, contextmanager

from geojson import MAX_BYTES

# The high half of a header of binary JSON is the size of the value, or a number for the length of the size, which then
# follows the header.
LONG_SIZES = {12: 1, 13: 2, 14: 4, 15: 8}
WORDS = {0: None, 1: True, 2: False}
INTEGERS, FLOATS, ESCAPED, PLAIN, ARRAY, OBJECT = (3, 4), (5, 6), (8, 9), (7, 10), 11, 12


@contextmanager
def database(file):
    """Opens a database. The plugin may write to it at the same time."""
    log = file.with_name(file.name + "-wal")
    if max(part.stat().st_size for part in (file, log) if part.exists()) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    with file.open("rb") as opened:
        head = opened.read(20)
    if not head.startswith(b"SQLite format 3\0"):
        raise ValueError("it is not a database of SQLite")
    # For a database that had a log, SQLite would make a new one. Without a log no program has the database open.
    mode = "immutable=1" if head[18] == 2 and not log.exists() else "mode=ro"
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True)) as opened:
            opened.row_factory = sqlite3.Row
            yield opened
    except sqlite3.Error as error:
        raise ValueError(f"{error}; if the plugin is writing to it, try again later") from None


def has_table(opened, table):
    return bool(opened.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [table]).fetchone())


def rows(opened, table, *columns):
    """Returns the rows of a table."""
    if not has_table(opened, table):
        raise ValueError(f"it has no table {table}; give the database that the newest version of the plugin writes")
    # All rows are read at once, because the plugin cannot write while a query runs.
    return opened.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()


def json_value(stored):
    """Returns a value that a database stores as JSON, as text or in SQLite's binary form."""
    if isinstance(stored, bytes) and stored[:1] != b"{":
        value, end = binary(stored, 0, len(stored))
        if end != len(stored):
            raise ValueError("the binary JSON goes on behind its end")
        return value
    return json.loads(stored)


def binary(data, at, limit):
    """Returns the value that begins at a place of binary JSON, with the place behind it."""
    if at >= limit:
        raise ValueError("the binary JSON ends early")
    kind, size = data[at] & 15, data[at] >> 4
    at += 1
    length = LONG_SIZES.get(size)
    if length:
        size = int.from_bytes(data[at:at + length], "big")
        at += length
    end = at + size
    if end > limit:
        raise ValueError("the binary JSON ends early")
    if kind in (ARRAY, OBJECT):
        values = []
        while at < end:
            value, at = binary(data, at, end)
            values.append(value)
        return dict(zip(values[::2], values[1::2])) if kind == OBJECT else values, end
    return scalar(kind, data[at:end].decode("utf-8")), end


def scalar(kind, text):
    """Returns a value of binary JSON that has no parts."""
    if kind in WORDS:
        return WORDS[kind]
    if kind in INTEGERS:
        return int(text, 0)
    if kind in FLOATS:
        return float(text)
    if kind in ESCAPED:
        return json.loads(f'"{text}"')
    if kind in PLAIN:
        return text
    raise ValueError(f"type {kind} of binary JSON does not exist")
