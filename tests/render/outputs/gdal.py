"""Reads png.tif, webp.tif and heights.tif in a folder as GDAL sees them, and prints the pixel of each column X,Z."""

import sys

import numpy
import rasterio
from rio_cogeo.cogeo import cog_validate

folder, *columns = sys.argv[1:]
png, webp, heights = (rasterio.open(f"{folder}/{name}.tif") for name in ["png", "webp", "heights"])
for file in [png, webp, heights]:
    is_valid, errors, warnings = cog_validate(file.name, strict=True)
    assert is_valid and not errors and not warnings, (file.name, errors, warnings)
    assert file.overviews(1)[0] == 2, file.overviews(1)
    assert file.res == (1, 1)
    # Every tile can be read.
    file.read()
assert (png.read() == webp.read()).all()
assert png.colorinterp[3] == rasterio.enums.ColorInterp.alpha
assert heights.nodata == -32768 and heights.dtypes == ("int16",)
# The first level further out, as GDAL reads it.
size = (png.height // 2, png.width // 2)
outer, other = (file.read(out_shape=(4, *size)) for file in [png, webp])
assert (outer == other).all() and outer[3].any()
assert numpy.unique(heights.read(1, out_shape=size)).size > 2
for column in columns:
    x, z = map(int, column.split(","))
    # The middle of the block.
    place = (x + 0.5, -z - 0.5)
    print(*next(png.sample([place])), *next(heights.sample([place])))
