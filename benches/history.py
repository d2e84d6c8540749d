"""Draws a world night after night into a map with history and into one without; see history.sh."""

import datetime
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import time
import zlib

REGIONS = 200
SIDE = 14
CHANGED = REGIONS // 50
# Shares of the chunks that a night changes: new ones, and ones saved again with the same blocks. The rest gets other
# blocks.
NEW = 0.73
SAVED_AGAIN = 0.19
# The number of nights until all chunks exist.
GROWTH = 365
ZLIB = 2


def chunks_of(file):
    """Returns the stored chunks of a region file by slot."""
    data = file.read_bytes()
    slots = struct.unpack(">1024I", data[:4096])
    found = {}
    for slot, place in enumerate(slots):
        if place:
            start = (place >> 8) * 4096
            length, kind = struct.unpack(">IB", data[start:start + 5])
            if kind == ZLIB:
                found[slot] = data[start + 5:start + 4 + length]
    return found


class Region:
    """A region that players explore, starting at one place."""

    def __init__(self, path, chunks, chance):
        self.path, self.chance = path, chance
        x, z = chance.randrange(32), chance.randrange(32)
        # In reverse order, because pop() takes the last one.
        self.unseen = sorted(chunks, key=lambda slot: -((slot % 32 - x) ** 2 + (slot // 32 - z) ** 2))
        self.step = len(chunks) / 2 / (GROWTH * CHANGED / REGIONS)
        self.chunks, self.there = chunks, {}
        self.explore(len(chunks) // 2)

    def explore(self, count):
        for _ in range(min(count, len(self.unseen))):
            slot = self.unseen.pop()
            self.there[slot] = self.chunks[slot]

    def some(self, count):
        """Chooses `count` of the existing chunks on average; a fraction is the chance of one more."""
        count = int(count + self.chance.random())
        return self.chance.sample(sorted(self.there), min(count, len(self.there)))

    def live(self):
        """Changes the region as one night does."""
        for slot in self.some(self.step / NEW * SAVED_AGAIN):
            level = self.chance.randrange(1, 10)
            self.there[slot] = zlib.compress(zlib.decompress(self.there[slot]), level)
        for slot in self.some(self.step / NEW * (1 - NEW - SAVED_AGAIN)):
            self.there[slot] = self.chunks[self.chance.choice(list(self.chunks))]
        self.explore(int(self.step + self.chance.random()))

    def write(self):
        header, body = bytearray(8192), bytearray()
        for slot, chunk in self.there.items():
            record = struct.pack(">IB", len(chunk) + 1, ZLIB) + chunk
            record += bytes(-len(record) % 4096)
            place = (2 + len(body) // 4096) << 8 | len(record) // 4096
            struct.pack_into(">I", header, 4 * slot, place)
            body += record
        self.path.write_bytes(header + body)


def drawn(program, world, out, options):
    """Draws a map; returns CPU and wall seconds."""
    start = time.monotonic()
    process = subprocess.Popen([program, "render", world, "-o", out, "-q", *options])
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 3):
        sys.exit(f"render ended with code {code}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def size(folder, pattern="**/*"):
    return sum(file.stat().st_size for file in folder.glob(pattern) if file.is_file() and ".pixelmap" not in file.parts)


def middle(values):
    return sorted(values)[len(values) // 2]


def compare(name, taken):
    """Prints the costs of the nights of both maps."""
    for what, at in [("CPU", 0), ("wall", 1)]:
        remembers, plain = ([night[at] for night in taken[way]] for way in (True, False))
        print(f"  {name}, {what}: {1000 * middle(remembers):.0f} ms with history, {1000 * middle(plain):.0f} ms "
              f"without (medians); ratio of medians {middle(remembers) / middle(plain):.3f}, "
              f"of sums {sum(remembers) / sum(plain):.3f}")


def listed(path):
    """Returns the last value that a script of the history passes on."""
    text = path.read_text()
    return json.loads("[" + text[text.index("(") + 1:text.rindex(")")] + "]")[-1]


def thousand_moments(program, map_folder, work):
    """Returns the seconds that listing the moments takes, per thousand."""
    folder = work / "thousand"
    (folder / "history").mkdir(parents=True)
    shutil.copy(map_folder / "map.json", folder)
    moments = listed(map_folder / "history/moments.js")
    last = moments["moments"][-1]
    moments["moments"] = [last | {"id": number, "time": last["time"] + 60 * number} for number in range(1000)]
    (folder / "history/moments.js").write_text(f"pixelmapMoments({json.dumps(moments)});\n")
    taken = []
    for _ in range(9):
        start = time.monotonic()
        subprocess.run([program, "history", folder], check=True, stdout=subprocess.DEVNULL)
        taken.append(time.monotonic() - start)
    return middle(taken)


def views(map_folder, moments):
    """Bytes of the lists and the tiles that a page loads for a window of 2,048 by 1,536 pixels, at every region and at
    every tenth moment."""
    layer = map_folder / "overworld/day"
    newest, versions, lists = {}, {}, {}
    for line in (layer / "tiles.tsv").read_text().splitlines():
        z, x, y, size, *_ = line.split("\t")
        if z == "17":
            newest[int(x), int(y)] = int(size)
    for path in (map_folder / "history/overworld/day").glob("*.js"):
        lists[path.stem] = path.stat().st_size
        for z, x, y, until, size, *_ in listed(path):
            if z == 17:
                versions.setdefault((x, y), []).append((until, size))
    for moment in range(1, moments, 10):
        then = newest | {tile: next((size for until, size in all if until > moment), newest.get(tile, 0))
                         for tile, all in versions.items()}
        for x, y in newest:
            seen = [(x + dx, y + dy) for dx in range(4) for dy in range(3)]
            pieces = {f"{x >> 4}_{y >> 4}" for x, y in seen}
            yield sum(lists.get(piece, 0) for piece in pieces), sum(then.get(tile, 0) for tile in seen)


def main():
    program, nights, source, work = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    chance = random.Random(1)
    files = sorted((source / "region").glob("r.*.mca"))
    sources = [chunks for chunks in map(chunks_of, files) if chunks]
    world, maps = work / "world", {True: work / "history", False: work / "plain"}
    (world / "region").mkdir(parents=True)
    regions = []
    for number in range(REGIONS):
        x, z = number % SIDE - SIDE // 2, number // SIDE - SIDE // 2
        chunks = sources[(x % 2 + 2 * (z % 2)) % len(sources)]
        regions.append(Region(world / "region" / f"r.{x}.{z}.mca", chunks, chance))
        regions[-1].write()
    print(f"{REGIONS} regions of {source.name}, {sum(len(region.there) for region in regions)} chunks, {nights} nights")

    def draw(night, taken):
        at = datetime.datetime(2025, 1, 1, 4) + datetime.timedelta(days=night)
        # Alternates the order, because the second map finds the region files in memory.
        for way in (night % 2 == 0, night % 2 != 0):
            options = ["--history", "--time", f"{at:%Y-%m-%dT%H:%M}"] if way else []
            taken[way].append(drawn(program, world, maps[way], options))

    first, taken = {True: [], False: []}, {True: [], False: []}
    draw(0, first)
    begin = size(maps[False])
    for night in range(1, nights + 1):
        for region in chance.sample(regions, CHANGED):
            region.live()
            region.write()
        draw(night, taken)
    compare("the first run", first)
    compare("a night", taken)
    past, plain, whole = maps[True] / "history", size(maps[False]), size(maps[True] / "history")
    moments, chunks = listed(past / "moments.js")["moments"], sum(len(region.there) for region in regions)
    lists = [file.stat().st_size for file in past.glob("*/**/*.js") if "objects" not in file.parts]
    print(f"  the map: {begin / 1e6:.1f} MB at first, {plain / 1e6:.1f} MB with {chunks} chunks at last")
    print(f"  history: {whole / 1e6:.1f} MB, {whole / plain:.2f} times the map; {whole / nights / 1e3:.0f} kB a night")
    print(f"  of these: {size(past / 'objects') / 1e6:.1f} MB in {len(list(past.glob('objects/*/*')))} files; "
          f"lists of earlier tiles {sum(lists) / 1e3:.0f} kB, the longest {max(lists) / 1e3:.0f} kB; "
          f"list of {len(moments)} moments {(past / 'moments.js').stat().st_size / 1e3:.1f} kB")
    opened = sorted(views(maps[True], len(moments)), key=sum)
    for what, (of_lists, of_tiles) in [("half of the views", opened[len(opened) // 2]), ("the most", opened[-1])]:
        print(f"  a view of any moment, {what}: lists {of_lists / 1e3:.0f} kB, tiles {of_tiles / 1e3:.0f} kB")
    print(f"  `pixelmap history` over 1,000 moments: {1000 * thousand_moments(program, maps[True], work):.1f} ms")


main()
