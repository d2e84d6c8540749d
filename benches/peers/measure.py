"""Runs pixelmap, its floor and its peers on the same worlds in turn; page.py and chart.py show the results.

CPU is the whole process's, as the system counts it when it ends; the smallest CPU and wall times of all rounds count.
Memory is the most that any round held; it is looked up while a program runs, since what the system says at the end
holds this program's as well. See run.sh.
"""

import dataclasses
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zlib

import chart
import page

# The exit codes of a whole map, and of one with warnings.
FINE = (0, 3)


@dataclasses.dataclass
class Taken:
    """The costs of a program on a world."""
    cpu: float
    wall: float
    memory: int
    tiles: int
    code: int
    # CPU and wall seconds of a second run into the same folder, for programs that skip unchanged regions.
    again: tuple[float, float] | None = None

    def least(self, other):
        again = min(self.again, other.again) if self.again and other.again else None
        return Taken(min(self.cpu, other.cpu), min(self.wall, other.wall), max(self.memory, other.memory), other.tiles,
                     max(self.code, other.code), again)


@dataclasses.dataclass
class World:
    text: str
    folder: str
    # A key of page.Program.words.
    edition: str
    regions: int
    chunks: int
    # By name and threads.
    taken: dict[tuple[str, int], Taken] = dataclasses.field(default_factory=dict)

    def draws(self, name, threads):
        """Returns whether a program draws this world: it succeeds, and its tiles are not empty."""
        taken = self.taken.get((name, threads))
        enough = self.taken["pixelmap", threads].tiles / 20
        return taken is not None and taken.code in FINE and taken.tiles >= enough


def png(side, rgb):
    """Makes a picture of one colour."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = (b"\0" + bytes(rgb) * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def palette(path):
    """Makes the colour file that `anvil` needs, from pixelmap's own table."""
    states = {}
    with open("crates/paint/src/palette/blocks.tsv", encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if not line.startswith("#")]
    for name, colour, *_ in rows:
        if not colour.startswith("=") and "[" not in name:
            states["minecraft:" + name] = [*bytes.fromhex(colour), 255]
    for name, colour, *_ in rows:
        if colour.startswith("=") and "minecraft:" + colour[1:] in states:
            states["minecraft:" + name] = states["minecraft:" + colour[1:]]
    files = {
        "blockstates.json": json.dumps(states).encode(),
        "grass-colourmap.png": png(256, (124, 189, 107)),
        "foliage-colourmap.png": png(256, (72, 181, 24)),
    }
    with tarfile.open(path, "w:gz") as archive:
        for name, body in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))


def run(command, folder, threads):
    """Runs a command in a folder. Returns its CPU seconds, wall seconds, peak memory and exit code."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=os.environ | {"RAYON_NUM_THREADS": str(threads)},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak, has_ended = 0, threading.Event()

    def watch():
        nonlocal peak
        while not has_ended.wait(0.005):
            try:
                with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                    peak = max([peak, *(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))])
            except OSError:
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    has_ended.set()
    watcher.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, wall, peak, process.returncode


def bytes_of_tiles(folder):
    pictures = (".png", ".webp")
    paths = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(pictures))
    return sum(map(os.path.getsize, paths))


def once(program, world, threads, work):
    """Draws a world into an empty folder, and again into the same one for programs that skip unchanged regions."""
    out = os.path.join(work, "out")
    shutil.rmtree(out, ignore_errors=True)
    fields = {"world": world.folder, "out": out, "threads": str(threads), "palette": f"{work}/palette.tar.gz"}
    command = [program.path, *(word.format(**fields) for word in program.words[world.edition])]
    if program.takes_all_cores and threads < os.cpu_count():
        command = ["taskset", "-c", f"0-{threads - 1}", *command]
    cpu, wall, memory, code = run(command, work, threads)
    taken = Taken(cpu, wall, memory, bytes_of_tiles(out), code)
    if program.knows_unchanged and code in FINE:
        taken.again = run(command, work, threads)[:2]
    return taken


def look_at(text, pixelmap):
    """Parses a world with its name: `NAME=FOLDER`, or a folder whose level.dat contains the version."""
    name, _, folder = text.rpartition("=")
    facts = json.loads(subprocess.run([pixelmap, "info", folder, "--json"], check=False, stdout=subprocess.PIPE).stdout)
    edition = facts.get("edition", "java")
    # Only the overworld, because the other programs draw nothing else of Java Edition.
    dimensions = facts["dimensions"][:1] if edition == "java" else facts["dimensions"]
    regions, chunks = (sum(dimension[what] for dimension in dimensions) for what in ("regions", "chunks"))
    return World(name or f"saved by {facts['game_version']}", folder, edition, regions, chunks)


def main():
    at = sys.argv.index("--")
    rounds, programs = int(sys.argv[1]), page.programs(sys.argv[2:at])
    worlds = [look_at(text, programs["pixelmap"].path) for text in sys.argv[at + 1:]]
    counts = sorted({1, os.cpu_count()})
    with tempfile.TemporaryDirectory() as work:
        palette(os.path.join(work, "palette.tar.gz"))
        for world in worlds:
            for number in range(rounds):
                for threads in counts:
                    for name, program in programs.items():
                        if world.edition not in program.words or (name == "floor" and threads > 1):
                            continue
                        taken = once(program, world, threads, work)
                        known = world.taken.get((name, threads))
                        world.taken[name, threads] = known.least(taken) if known else taken
                print(f"{world.text}: round {number + 1} of {rounds}", file=sys.stderr)
    with open("docs/benchmarks.svg", "w", encoding="utf-8") as file:
        file.write(chart.draw(programs, worlds))
    with open("docs/benchmarks.md", "w", encoding="utf-8") as file:
        file.write(page.write(programs, worlds, counts, rounds))


if __name__ == "__main__":
    main()
