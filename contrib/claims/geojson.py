"""The part that all converters of claims share: arguments, the outlines of claimed cells, and GeoJSON for `--markers`."""

import argparse
import colorsys
import json
import math
import re
import struct
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path

FAULTS = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, OSError, EOFError, RecursionError,
          struct.error, zlib.error)
# No world is larger: `pixelmap render --markers` leaves out a feature with a coordinate beyond it.
FAR = 33_554_432
# No file of claims is larger, and a larger one could use up the memory.
MAX_BYTES = 64 << 20
UUID = re.compile("[0-9a-fA-F]{8}(-?)(?:[0-9a-fA-F]{4}\\1){3}[0-9a-fA-F]{12}")
# Plugins colour names with codes of the game, such as §a, or with tags, such as <#55aaff>.
FORMATTING = re.compile(r"§.|</?[#A-Za-z_][^<>]*>")
WORLDS = {"world": "overworld", "world_nether": "the_nether", "world_the_end": "the_end"}


def arguments(description, paths_help, uses_worlds=False):
    """Parses the arguments. `--world` is for plugins, which name worlds by their folders."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=paths_help)
    parser.add_argument("-o", "--output", type=Path, help="the GeoJSON file to write; -: standard output (the default)")
    parser.add_argument("--owners", action="store_true", help="show the names and UUIDs of players (default: no player is named)")
    parser.add_argument("--names", type=Path, metavar="FILE", help="usercache.json of the server, for the names of UUIDs")
    parser.add_argument("--icon", metavar="NAME", help="show claims with this icon of `pixelmap render --icons`")
    parser.add_argument("--hide", action="append", default=[], metavar="X0,Z0,X1,Z1|FILE.geojson",
                        help="leave out claims that reach into this area; give it the same areas as `pixelmap render`")
    if uses_worlds:
        parser.add_argument("--world", action="append", default=[], metavar="NAME=DIMENSION",
                            help="the dimension of a world, such as creative=overworld; other worlds are left out")
    # argparse would take an area that begins with a minus for an option.
    words = []
    for word in sys.argv[1:]:
        if words[-1:] == ["--hide"]:
            words[-1] += "=" + word
        else:
            words.append(word)
    return parser.parse_args(words)


class Claims:
    """Collects claims and writes them."""

    def __init__(self, args):
        self.args = args
        self.features = []
        self.left_out = 0
        worlds = [text.rpartition("=") for text in getattr(args, "world", [])]
        if any(not name or not dimension for name, _, dimension in worlds):
            sys.exit("claims: --world must be NAME=DIMENSION")
        self.worlds = {name: dimension for name, _, dimension in worlds} or WORLDS
        self.names = {}
        if args.names:
            self.names = {entry["uuid"]: entry["name"] for entry in json_of(args.names)}
        self.hidden = [box for text in args.hide for box in hidden_boxes(text)]

    def know(self, names):
        """Adds names of players by their UUIDs, from the files of a plugin. The names of `--names` stay."""
        self.names = {**names, **self.names}

    def dimension(self, world):
        """Returns the dimension of a world, or None if its claims are left out."""
        if world in self.worlds:
            return self.worlds[world]
        # Versions for Fabric name a world by its dimension.
        if ":" in world or world in WORLDS.values():
            return world
        warn(f"world {world} is left out: name its dimension with --world {world}=DIMENSION")
        return None

    def owners(self, players):
        """Returns a line that names players, if this was asked for. A player is a name or a UUID."""
        names = [self.names.get(player, player) for player in players if player] if self.args.owners else []
        return "Owner: " + ", ".join(names) if names else ""

    def name_by_owner(self, owner):
        """Returns the name of a claim that has only an owner, whose UUID it is given."""
        if not owner:
            return "Admin claim"
        return self.names.get(owner, "Claim") if self.args.owners else "Claim"

    @contextmanager
    def skipping(self, what):
        """Leaves out a part of the input if it cannot be read, so that it costs only itself."""
        try:
            yield
        except FAULTS as error:
            self.leave_out(what, f"{type(error).__name__}: {error}")

    def leave_out(self, what, why):
        warn(f"{what} is left out: {why}")
        self.left_out += 1

    def read_each(self, read, *patterns):
        """Reads each file of the arguments. Older forms of a file have the later patterns."""
        for file in files(self.args.paths, patterns):
            with self.skipping(file):
                read(file)

    def outlines(self, what, cells, size=16):
        """Returns the polygons around the cells that are inside of a world."""
        inside = {cell for cell in cells if 0 < size <= FAR and all(-FAR <= at * size <= FAR - size for at in cell)}
        if len(inside) < len(cells):
            self.leave_out(f"a chunk of {what}", "it is outside any world")
        return outlines(inside, size)

    def public(self, text):
        """Returns a text without the UUIDs of players, unless players may be shown."""
        if self.args.owners:
            return UUID.sub(lambda found: self.names.get(found[0].lower(), found[0]), text)
        return UUID.sub("…", text)

    def add(self, name, polygons, dimension, lines=(), color=None):
        """Adds a claim. A polygon is a list of rings, the outer one first; a ring is a list of corners."""
        points = [point for polygon in polygons for ring in polygon for point in ring]
        if not points or any(is_inside(points, box) for box in self.hidden):
            return
        name = self.public(str(name))
        if not all(-FAR <= along <= FAR for point in points for along in point):
            self.leave_out(f"{name} in {dimension}", "it reaches outside any world")
            return
        shape = {"type": "Polygon", "coordinates": polygons[0]}
        if len(polygons) > 1:
            shape = {"type": "MultiPolygon", "coordinates": polygons}
        properties = {"name": name, "description": self.public("\n".join(line for line in lines if line)),
                      "color": color or color_of(name), "dimension": dimension.removeprefix("minecraft:")}
        if self.args.icon:
            properties["icon"] = self.args.icon
        self.features.append({"type": "Feature", "properties": properties, "geometry": shape})

    def write(self):
        """Writes the claims and returns the exit code, which is 3 if something was left out."""
        self.features.sort(key=lambda feature: json.dumps(feature, sort_keys=True))
        lines = ",\n".join(json.dumps(feature, ensure_ascii=False) for feature in self.features)
        text = '{"type":"FeatureCollection","features":[\n' + lines + "\n]}\n"
        if self.args.output and str(self.args.output) != "-":
            # An open page may read the file at any time, so it appears as a whole.
            new = self.args.output.with_name(self.args.output.name + ".new")
            new.write_text(text, "utf-8")
            new.replace(self.args.output)
        else:
            sys.stdout.reconfigure(encoding="utf-8")
            sys.stdout.write(text)
        return 3 if self.left_out else 0


def warn(text):
    print(f"claims: {text}", file=sys.stderr)


def files(paths, patterns):
    """Returns the files of these paths. A folder stands for the files in it that match the first pattern with any match,
    because programs leave their older files behind when the form changes."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        sys.exit(f"claims: {', '.join(missing)} does not exist")
    found = []
    for path in paths:
        forms = [sorted(path.glob(pattern)) for pattern in patterns] if path.is_dir() else [[path]]
        found += next(filter(None, forms), [])
    if not found:
        sys.exit(f"claims: there is no {' or '.join(patterns)} in {', '.join(map(str, paths))}")
    return found


def bytes_of(file):
    """Reads a file, which must not be longer than files of claims are."""
    with file.open("rb") as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    return data


def text_of(file):
    return bytes_of(file).decode("utf-8-sig")


def json_of(file):
    return json.loads(text_of(file))


def cell_of(text):
    """Returns the place of a chunk from a text such as 12,-3."""
    found = re.fullmatch(r"\s*(-?\d+)[,:;\s]\s*(-?\d+)\s*", text)
    if not found:
        raise ValueError(f"not understood as a chunk: {text[:40]!r}")
    return int(found[1]), int(found[2])


def plain(name):
    """Returns a name without its formatting."""
    return FORMATTING.sub("", name).strip()


def hidden_boxes(text):
    """Returns rectangles of blocks. An area of a GeoJSON file stands for the smallest rectangle around it."""
    if text.endswith((".geojson", ".json")):
        boxes = [box_of(list(corners(geometry["coordinates"]))) for geometry in geometries(json_of(Path(text)))]
        if not boxes:
            sys.exit(f"claims: {text} has no area, so it would hide nothing")
        return boxes
    numbers = [float(number) for number in text.split(",")]
    if len(numbers) != 4:
        sys.exit("claims: --hide must be X0,Z0,X1,Z1 or a GeoJSON file")
    return [box_of([numbers[:2], numbers[2:]])]


def geometries(shape):
    """Returns the simple geometries of a GeoJSON object of any type."""
    if "coordinates" in shape:
        return [shape]
    parts = [shape.get("geometry"), *shape.get("features", []), *shape.get("geometries", [])]
    return [geometry for part in parts if part for geometry in geometries(part)]


def corners(coordinates):
    if isinstance(coordinates[0], list):
        for part in coordinates:
            yield from corners(part)
    else:
        yield coordinates


def box_of(points):
    return [min(p[0] for p in points), min(p[1] for p in points), max(p[0] for p in points), max(p[1] for p in points)]


def is_inside(points, box):
    x0, z0, x1, z1 = box_of(points)
    return x0 < box[2] and box[0] < x1 and z0 < box[3] and box[1] < z1


def color_of(name):
    """Returns a colour that depends on the name alone, so that a claim keeps it."""
    red, green, blue = colorsys.hls_to_rgb(zlib.crc32(name.encode("utf-8")) % 360 / 360, 0.5, 0.65)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def rectangle(x0, z0, x1, z1):
    """Returns the polygon of all blocks between two corners, both included."""
    (x0, x1), (z0, z1) = sorted((x0, x1)), sorted((z0, z1))
    return [[[x0, z0], [x1 + 1, z0], [x1 + 1, z1 + 1], [x0, z1 + 1], [x0, z0]]]


def circle(x, z, radius):
    """Returns the polygon around all blocks within a radius of a block."""
    turns = [math.tau * step / 32 for step in range(32)]
    reach = radius + 0.5
    ring = [[round(x + 0.5 + reach * math.cos(turn), 2), round(z + 0.5 + reach * math.sin(turn), 2)] for turn in turns]
    return [ring + ring[:1]]


def outlines(cells, size=16):
    """Returns the polygons around cells that touch at their sides. `size` is the length of a cell in blocks."""
    left, polygons = set(cells), []
    while left:
        group, new = set(), [min(left)]
        while new:
            cell = new.pop()
            if cell in left:
                left.discard(cell)
                group.add(cell)
                x, z = cell
                new += [(x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1)]
        rings = sorted(rings_of(group), key=lambda ring: box_of(ring)[:2] + [-len(ring)])
        outer = max(rings, key=lambda ring: box_of(ring)[2] - box_of(ring)[0])
        ordered = [outer] + [ring for ring in rings if ring is not outer]
        polygons.append([[[x * size, z * size] for x, z in ring] for ring in ordered])
    return polygons


def rings_of(group):
    """Walks along the sides of a group of cells, with the cells always on the same hand."""
    sides = {}
    for x, z in group:
        for start, end, beside in (((x, z), (x + 1, z), (x, z - 1)), ((x + 1, z), (x + 1, z + 1), (x + 1, z)),
                                   ((x + 1, z + 1), (x, z + 1), (x, z + 1)), ((x, z + 1), (x, z), (x - 1, z))):
            if beside not in group:
                sides.setdefault(start, []).append(end)
    rings = []
    while sides:
        start = min(sides)
        ring, at, before = [start], start, None
        while True:
            ends = sides[at]
            # Where two cells touch at a corner, the way goes on along the other cell: otherwise a hole and the ring
            # around it would be one ring, which touches itself.
            turn = lambda end: (end[0] - at[0]) * (at[1] - before[1]) - (end[1] - at[1]) * (at[0] - before[0])
            end = max(ends, key=turn) if len(ends) > 1 and before else ends[0]
            ends.remove(end)
            if not ends:
                del sides[at]
            if before and (at[0] - before[0], at[1] - before[1]) == (end[0] - at[0], end[1] - at[1]):
                ring.pop()
            ring.append(end)
            before, at = at, end
            if at == start:
                break
        rings.append([list(point) for point in ring])
    return rings
