// @ts-check

/*
 * Decides which markers get a dot at a zoom level, so that dots have room.
 *
 * A marker without neighbours gets a dot of its own. Otherwise the most important marker of a crowd
 * gets a dot that counts all markers in a wider circle around it, because counts in a narrow circle
 * would make a lattice of hundreds of dots from a map with thousands of markers.
 * A layout does not depend on the view, so a dot stays where it is while the map is dragged.
 */

/** Markers that are closer than this many pixels are neighbours. */
const APART = 32;
/** A dot that counts several markers counts all within this many pixels. */
const CROWD = 80;
/** Pixels along the side of a cell of dots. */
const CELL = 256;
/** A row of cells has at most this many, so that row and column make one number. */
const ROW = 1 << 26;

/**
 * A dot: the marker that it shows, the index of that marker, the number of markers that the dot
 * stands for, and the source of most of them.
 *
 * @typedef {{ marker: PointMarker, index: number, count: number, source: MarkerSource }} Dot
 */

export class Layout {
  /** @type {Map<number, Dot[]>} */
  #cells = new Map();
  /** For each marker the index of the marker whose dot stands for it. */
  #owner;

  /**
   * @param {PointMarker[]} points the most important first
   * @param {number} scale pixels per block
   */
  constructor(points, scale) {
    this.points = points;
    this.scale = scale;

    const neighbours = new Neighbours(points, APART / scale, CROWD / scale);
    this.#owner = new Int32Array(points.length).fill(-1);
    points.forEach((marker, index) => {
      if (this.#owner[index] !== -1) return;
      const taken = neighbours.take(marker.centre);
      for (const other of taken) this.#owner[other] = index;
      const source = mainSource(taken.map((other) => points[other]));
      this.#add({ marker, index, count: taken.length, source });
    });
  }

  /** @param {Dot} dot */
  #add(dot) {
    const [x, z] = dot.marker.centre;
    const key = cellKey(Math.floor((x * this.scale) / CELL), Math.floor((z * this.scale) / CELL));
    const cell = this.#cells.get(key);
    if (cell) cell.push(dot);
    else this.#cells.set(key, [dot]);
  }

  /**
   * Returns the dots within a rectangle and some next to it, the most important first. The pixels
   * are counted at another scale if the map is between two zoom levels.
   *
   * @param {number} left
   * @param {number} top
   * @param {number} right
   * @param {number} bottom
   * @param {number} scale
   */
  dotsWithin(left, top, right, bottom, scale) {
    const cellAt = (/** @type {number} */ pixels) =>
      Math.floor((pixels * this.scale) / scale / CELL);

    /** @type {Dot[]} */
    const dots = [];
    for (let column = cellAt(left); column <= cellAt(right); column++) {
      for (let row = cellAt(top); row <= cellAt(bottom); row++) {
        dots.push(...(this.#cells.get(cellKey(column, row)) ?? []));
      }
    }
    return dots.sort((a, b) => a.index - b.index);
  }

  /**
   * Returns all markers that a dot stands for.
   *
   * @param {Dot} dot
   */
  markersOf(dot) {
    return this.points.filter((_, index) => this.#owner[index] === dot.index);
  }
}

/**
 * Returns the source of most of the markers.
 *
 * @param {PointMarker[]} markers at least one
 */
function mainSource(markers) {
  if (markers.length === 1) return markers[0].source;

  /** @type {Map<MarkerSource, number>} */
  const counts = new Map();
  for (const { source } of markers) counts.set(source, (counts.get(source) ?? 0) + 1);
  const [[main]] = [...counts].sort(([, a], [, b]) => b - a);
  return main;
}

/** Finds the markers around a position. Each marker is taken once. */
class Neighbours {
  /**
   * The indices of the markers in each square, whose side is the radius of a crowd.
   *
   * @type {Map<number, number[]>}
   */
  #squares = new Map();
  #isTaken;

  /**
   * @param {PointMarker[]} points
   * @param {number} apart blocks: markers that are closer are neighbours
   * @param {number} crowd blocks: the radius of the circle that one dot stands for
   */
  constructor(points, apart, crowd) {
    this.points = points;
    this.apart = apart;
    this.crowd = crowd;
    this.#isTaken = new Uint8Array(points.length);
    points.forEach(({ centre }, index) => {
      const key = this.#keyOf(centre);
      const square = this.#squares.get(key);
      if (square) square.push(index);
      else this.#squares.set(key, [index]);
    });
  }

  /** @param {[number, number]} position */
  #keyOf([x, z]) {
    return cellKey(Math.floor(x / this.crowd), Math.floor(z / this.crowd));
  }

  /**
   * Takes the crowd around a position, or the marker there alone if it has no neighbour. Returns
   * the indices of the taken markers.
   *
   * @param {[number, number]} position
   */
  take([x, z]) {
    /** @type {number[]} */
    const crowd = [];
    /** @type {number[]} */
    const near = [];
    for (const index of this.#around([x, z])) {
      const [otherX, otherZ] = this.points[index].centre;
      const distance = Math.hypot(otherX - x, otherZ - z);
      if (distance < this.crowd) crowd.push(index);
      if (distance < this.apart) near.push(index);
    }

    const taken = near.length > 1 ? crowd : near;
    for (const index of taken) this.#isTaken[index] = 1;
    return taken;
  }

  /**
   * Returns the indices of the markers in the squares around a position that are not taken yet.
   *
   * @param {[number, number]} position
   */
  #around(position) {
    const key = this.#keyOf(position);
    /** @type {number[]} */
    const around = [];
    for (let column = -1; column <= 1; column++) {
      for (let row = -1; row <= 1; row++) {
        for (const index of this.#squares.get(key + cellKey(column, row)) ?? []) {
          if (!this.#isTaken[index]) around.push(index);
        }
      }
    }
    return around;
  }
}

/**
 * @param {number} column
 * @param {number} row
 */
function cellKey(column, row) {
  return column * ROW + row;
}

/** Keeps rectangles on the screen apart. */
export class FreeSpace {
  /** @type {Map<number, [number, number, number, number][]>} */
  #rows = new Map();

  /**
   * Returns whether a rectangle overlaps no earlier one. If so, the rectangle is taken.
   *
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   */
  take(x0, y0, x1, y1) {
    const [first, last] = [y0 >> 5, y1 >> 5];
    for (let row = first; row <= last; row++) {
      for (const box of this.#rows.get(row) ?? []) {
        if (box[0] < x1 && x0 < box[2] && box[1] < y1 && y0 < box[3]) return false;
      }
    }

    for (let row = first; row <= last; row++) {
      const boxes = this.#rows.get(row);
      if (boxes) boxes.push([x0, y0, x1, y1]);
      else this.#rows.set(row, [[x0, y0, x1, y1]]);
    }
    return true;
  }
}
