// @ts-check

/*
 * Decides which markers get a dot at a zoom level, so that dots have room.
 *
 * The most important marker of a neighbourhood gets the dot, and the dot counts all markers there.
 * A layout does not depend on the view, so a dot stays where it is while the map is dragged.
 */

/** Pixels between two dots at least. */
const APART = 32;
/** Pixels along the side of a cell of dots. */
const CELL = 256;
/** A row of cells has at most this many, so that row and column make one number. */
const ROW = 1 << 26;

/**
 * A dot: the marker that it shows, the index of that marker, and the number of markers that the dot
 * stands for.
 *
 * @typedef {{ marker: PointMarker, index: number, count: number }} Dot
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

    const neighbours = new Neighbours(points, APART / scale);
    this.#owner = new Int32Array(points.length).fill(-1);
    points.forEach((marker, index) => {
      if (this.#owner[index] !== -1) return;
      const taken = neighbours.take(marker.centre);
      for (const other of taken) this.#owner[other] = index;
      this.#add({ marker, index, count: taken.length });
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
 * Finds the markers within a distance. Each marker is found once and then removed, so that later
 * searches skip it.
 */
class Neighbours {
  /**
   * The indices of the markers in each square, whose side is the distance.
   *
   * @type {Map<number, number[]>}
   */
  #squares = new Map();

  /**
   * @param {PointMarker[]} points
   * @param {number} reach blocks
   */
  constructor(points, reach) {
    this.points = points;
    this.reach = reach;
    points.forEach(({ centre }, index) => {
      const key = this.#keyOf(centre);
      const square = this.#squares.get(key);
      if (square) square.push(index);
      else this.#squares.set(key, [index]);
    });
  }

  /** @param {[number, number]} position */
  #keyOf([x, z]) {
    return cellKey(Math.floor(x / this.reach), Math.floor(z / this.reach));
  }

  /**
   * Removes the markers around a position and returns their indices.
   *
   * @param {[number, number]} position
   */
  take([x, z]) {
    const key = this.#keyOf([x, z]);
    /** @type {number[]} */
    const taken = [];
    for (let column = -1; column <= 1; column++) {
      for (let row = -1; row <= 1; row++) {
        const square = key + cellKey(column, row);
        const indices = this.#squares.get(square);
        if (!indices) continue;

        /** @type {number[]} */
        const left = [];
        for (const index of indices) {
          const [otherX, otherZ] = this.points[index].centre;
          const isNear = Math.hypot(otherX - x, otherZ - z) < this.reach;
          (isNear ? taken : left).push(index);
        }
        this.#squares.set(square, left);
      }
    }
    return taken;
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
