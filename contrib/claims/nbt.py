"""Reads NBT, the form in which mods store claims in a world."""

import struct
import zlib

from geojson import bytes_of

NUMBERS = {1: ">b", 2: ">h", 3: ">i", 4: ">q", 5: ">f", 6: ">d"}
ARRAYS = {7: 1, 11: 4, 12: 8}
# The claims of one player are shorter by far. A small file could otherwise inflate to any length.
MAX_INFLATED = 16 << 20
MAX_VALUES = 1_000_000


def nbt(file):
    """Returns the document of a file, which may be packed by gzip."""
    return Nbt(inflated(bytes_of(file))).document()


class Nbt:
    """Reads a document of NBT."""

    def __init__(self, data):
        self.data, self.at, self.values = data, 0, 0

    def take(self, length):
        if length < 0 or self.at + length > len(self.data):
            raise ValueError("the file ends early")
        self.at += length
        return self.data[self.at - length:self.at]

    def unpack(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self):
        return self.take(self.unpack(">H")).decode("utf-8", "replace")

    def value(self, kind):
        self.values += 1
        if self.values > MAX_VALUES:
            raise ValueError(f"it has more than {MAX_VALUES} values")
        if kind in NUMBERS:
            return self.unpack(NUMBERS[kind])
        if kind in ARRAYS:
            return self.take(self.unpack(">i") * ARRAYS[kind])
        if kind == 8:
            return self.text()
        if kind == 9:
            kind, length = self.unpack(">b"), self.unpack(">i")
            return [self.value(kind) for _ in range(length)]
        if kind != 10:
            raise ValueError(f"tag {kind} does not exist")
        made = {}
        while kind := self.unpack(">b"):
            name = self.text()
            made[name] = self.value(kind)
        return made

    def document(self):
        kind, _ = self.unpack(">b"), self.text()
        return self.value(kind)


def inflated(data):
    """Returns the bytes of a gzip file, or the data if it is not packed."""
    if data[:2] != b"\x1f\x8b":
        return data
    stream = zlib.decompressobj(wbits=31)
    unpacked = stream.decompress(data, MAX_INFLATED)
    if not stream.eof:
        raise ValueError("it ends early" if len(unpacked) < MAX_INFLATED else f"it inflates to {MAX_INFLATED >> 20} MiB")
    return unpacked
