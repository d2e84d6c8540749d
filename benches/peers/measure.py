"""Runs pixelmap, its floor and its peers on the same worlds in turn and prints a table; see run.sh.

CPU is the whole process's, as the system counts it when it ends; the smallest CPU and wall times of all rounds count.
Memory is looked up while it runs, in a run of its own: what the system says at the end holds this program's as well.
"""

import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib

LEAVES_OUT = {
    "floor": "all but the inflate",
    "pixelmap": "-",
    "minedmap": "custom heights of 1.17; draws a light layer besides",
    "anvil": "zoom levels, manifest, viewer; believes stored heights",
}


def png(side, rgb):
    """A picture of one colour."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = (b"\0" + bytes(rgb) * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def palette(path):
    """The colours that `anvil` asks for, made of pixelmap's own table."""
    states = {}
    with open("src/palette/blocks.tsv", encoding="utf-8") as table:
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


def run(command, folder, variables):
    """Runs a command in a folder; its CPU seconds, wall seconds, and exit code."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=os.environ | variables,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    return usage.ru_utime + usage.ru_stime, wall, process.returncode


def peak_bytes(command, folder, variables):
    """The most memory that a command holds."""
    process = subprocess.Popen(command, cwd=folder, env=os.environ | variables,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            peak = max([peak, *(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))])
        time.sleep(0.002)
    return peak


def bytes_under(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def main():
    rounds, pixelmap, floor, peers, *worlds = sys.argv[1:]
    work = tempfile.mkdtemp()
    palette(os.path.join(work, "palette.tar.gz"))
    cases = [("floor", "1"), *((name, threads) for threads in ("1", "2") for name in ("pixelmap", "minedmap", "anvil"))]

    def command(name, threads, world, out):
        return {
            "floor": [floor, world, "1", "floor"],
            "pixelmap": [pixelmap, "render", world, "-o", out, "-t", threads, "-q", "--progress", "never"],
            "minedmap": [f"{peers}/bin/minedmap", "-j", threads, world, out],
            # Its own guess at the size leaves out the last row and column of regions.
            "anvil": [f"{peers}/bin/anvil", "tiles", world, "--out", out, "--palette", f"{work}/palette.tar.gz",
                      "--size=10000,10000"],
        }[name]

    for world in worlds:
        least = {}
        for _ in range(int(rounds)):
            for name, threads in cases:
                out = os.path.join(work, "out")
                shutil.rmtree(out, ignore_errors=True)
                program = command(name, threads, world, out)
                if not os.path.exists(program[0]):
                    continue
                variables = {"RAYON_NUM_THREADS": threads}
                cpu, wall, code = run(program, work, variables)
                written = bytes_under(out) if os.path.isdir(out) else 0
                if (name, threads) not in least:
                    shutil.rmtree(out, ignore_errors=True)
                    least[name, threads] = (cpu, wall, peak_bytes(program, work, variables), written, code)
                known = least[name, threads]
                least[name, threads] = (min(cpu, known[0]), min(wall, known[1]), known[2], written, code)
        print(f"\n{os.path.basename(world)}, {rounds} rounds\n")
        print("| program | threads | CPU s | of the floor | of pixelmap | wall s | of pixelmap | memory MB | written kB "
              "| leaves out |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for name, threads in cases:
            if (name, threads) not in least:
                continue
            cpu, wall, memory, written, code = least[name, threads]
            own = least["pixelmap", threads]
            note = LEAVES_OUT[name]
            if code not in (0, 3):
                note = f"**fails with {code}**"
            elif name != "floor" and written < own[3] / 20:
                note = "**everything: its tiles are empty**"
            print(f"| {name} | {threads} | {cpu:.3f} | {cpu / least['floor', '1'][0]:.2f} | {cpu / own[0]:.2f} | {wall:.3f} "
                  f"| {wall / own[1]:.2f} | {memory / 1e6:.0f} | {written / 1e3:.0f} | {note} |")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
