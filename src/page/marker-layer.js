/* Markers on the map: one canvas over it, which shows as many of them as have room.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapMarkerLayer`. It knows positions and what
 * is painted there, and nothing of files or of the panel. A layout is made for a zoom level, so that a dot stays where it
 * is while the map is dragged: the most important marker of a neighbourhood gets a dot, with the number of all there.
 */

import { RADIUS, badge, dot, label } from './symbols.js';

const APART = 32; // pixels between two dots at least
const CELL = 256; // pixels along a side of a cell of dots
const MARGIN = 256; // pixels that are painted beyond each side of the window, so that the map is dragged without painting
const NEAR = 4; // pixels beside a dot that still hit it
const WIDE = 1 << 26; // more cells than this lie in no row

/** Dots for `points` (the most important first) at a scale: each with the number of points that it stands for. */
function layOut(points, scale) {
  const reach = APART / scale;
  const heads = new Map();
  const next = new Int32Array(points.length);
  const owner = new Int32Array(points.length).fill(-1);
  const keyOf = ([x, z]) => Math.floor(x / reach) * WIDE + Math.floor(z / reach);
  for (let i = points.length - 1; i >= 0; i--) {
    const key = keyOf(points[i].centre);
    const head = heads.get(key);
    next[i] = head === undefined ? -1 : head;
    heads.set(key, i);
  }
  const cells = new Map();
  for (let i = 0; i < points.length; i++) {
    if (owner[i] !== -1) continue;
    const [x, z] = points[i].centre;
    let count = 0;
    const key = keyOf(points[i].centre);
    for (let dx = -1; dx <= 1; dx++) {
      for (let dz = -1; dz <= 1; dz++) {
        const cell = key + dx * WIDE + dz;
        // What is taken leaves the cell, so that no later dot looks at it again.
        let last = -1;
        for (let j = heads.has(cell) ? heads.get(cell) : -1; j !== -1; j = next[j]) {
          if (owner[j] === -1 && Math.hypot(points[j].centre[0] - x, points[j].centre[1] - z) < reach) {
            owner[j] = i;
            count += 1;
            if (last === -1) heads.set(cell, next[j]);
            else next[last] = next[j];
          } else last = j;
        }
      }
    }
    const place = Math.floor(x * scale / CELL) * WIDE + Math.floor(z * scale / CELL);
    if (!cells.has(place)) cells.set(place, []);
    cells.get(place).push({ marker: points[i], index: i, count });
  }
  return { scale, owner, cells };
}

/** Whether a box is free of those that are taken; it is taken then. */
function places() {
  const rows = new Map();
  return (x0, y0, x1, y1) => {
    const [first, last] = [y0 >> 5, y1 >> 5];
    for (let row = first; row <= last; row++) {
      const boxes = rows.get(row) || [];
      for (const box of boxes) if (box[0] < x1 && x0 < box[2] && box[1] < y1 && y0 < box[3]) return false;
    }
    for (let row = first; row <= last; row++) {
      if (!rows.has(row)) rows.set(row, []);
      rows.get(row).push([x0, y0, x1, y1]);
    }
    return true;
  };
}

/** The path of a shape in pixels of the window. Parts far outside are cut off: a border may be 60 million blocks long. */
function pathOf(shape, view) {
  const path = new Path2D();
  const size = L.bounds([-100, -100], [view.width + 100, view.height + 100]);
  shape.lines.forEach((line) => {
    const points = line.map(([x, z]) => L.point(x * view.scale - view.x, z * view.scale - view.y));
    if (shape.isArea) {
      L.PolyUtil.clipPolygon(points, size).forEach((point, at) => (at ? path.lineTo(point.x, point.y) : path.moveTo(point.x, point.y)));
      path.closePath();
      return;
    }
    for (let at = 1; at < points.length; at++) {
      const part = L.LineUtil.clipSegment(points[at - 1], points[at], size, false);
      if (!part) continue;
      if (at === 1 || part[0] !== points[at - 1] || !size.contains(points[at - 1])) path.moveTo(part[0].x, part[0].y);
      path.lineTo(part[1].x, part[1].y);
    }
  });
  return path;
}

/** A layer for a map; `hover` is told of the marker under the mouse, and of where that is. */
export function createMarkerLayer(map, hover) {
  const canvas = L.DomUtil.create('canvas', 'leaflet-zoom-animated markers', map.getPane('overlayPane'));
  const pen = canvas.getContext('2d');
  let points = [];
  let shapes = [];
  let layout = null;
  let chosen = null;
  let drawn = null; // the view that is painted
  let asked = 0;

  /** What the window shows with a margin: block (x, z) is at (x * scale - view.x, z * scale - view.y). */
  function viewNow(margin) {
    const corner = map.getPixelBounds().min;
    const size = map.getSize();
    return { x: corner.x - margin, y: corner.y - margin, scale: Math.pow(2, map.getZoom()), width: size.x + 2 * margin, height: size.y + 2 * margin };
  }

  /** The dots of a view, and some beside it, the most important first. */
  function dotsIn(view) {
    const ratio = layout.scale / view.scale;
    const cell = (pixels) => Math.floor(pixels * ratio / CELL);
    const found = [];
    for (let column = cell(view.x - 2 * RADIUS); column <= cell(view.x + view.width + 2 * RADIUS); column++) {
      for (let row = cell(view.y - 2 * RADIUS); row <= cell(view.y + view.height + 2 * RADIUS); row++) {
        const cells = layout.cells.get(column * WIDE + row);
        if (cells) found.push(...cells);
      }
    }
    return found.sort((a, b) => a.index - b.index);
  }

  const at = (marker, view) => [marker.centre[0] * view.scale - view.x, marker.centre[1] * view.scale - view.y];

  /** A picture whole pixels of the screen from the corner, so that it stays sharp. */
  function stamp(made, x, y) {
    const sharp = window.devicePixelRatio || 1;
    pen.drawImage(made.canvas, Math.round((x - made.width / 2) * sharp) / sharp, Math.round((y - made.height / 2) * sharp) / sharp, made.width, made.height);
  }

  function drawShapes(view) {
    shapes.forEach((shape) => {
      const [x0, z0, x1, z1] = shape.bounds;
      if (x1 * view.scale < view.x - 20 || x0 * view.scale > view.x + view.width + 20) return;
      if (z1 * view.scale < view.y - 20 || z0 * view.scale > view.y + view.height + 20) return;
      const path = pathOf(shape, view);
      if (shape.fill) {
        pen.globalAlpha = shape.opacity;
        pen.fillStyle = '#76808d';
        pen.fillStyle = shape.fill;
        pen.fill(path, 'evenodd');
        pen.globalAlpha = 1;
      }
      pen.lineJoin = pen.lineCap = 'round';
      pen.setLineDash(shape.isDashed ? [10, 8] : []);
      pen.lineWidth = shape.width + 2;
      pen.strokeStyle = 'rgba(0,0,0,.3)';
      pen.stroke(path);
      pen.lineWidth = shape.width + (shape === chosen ? 2 : 0);
      pen.strokeStyle = '#76808d';
      pen.strokeStyle = shape.stroke;
      pen.stroke(path);
      pen.setLineDash([]);
    });
  }

  function drawNames(view, dots, isLightPage) {
    const zoom = map.getZoom();
    if (!dots.some(({ marker }) => zoom >= marker.named)) return;
    const isFree = places();
    dots.forEach(({ marker }) => {
      const [x, y] = at(marker, view);
      isFree(x - RADIUS, y - RADIUS + 1, x + RADIUS, y + RADIUS - 1);
    });
    dots.forEach(({ marker }) => {
      if (zoom < marker.named) return;
      const [x, y] = at(marker, view);
      const made = label(marker.name, isLightPage);
      const sides = [[x + RADIUS + 2, y - 9], [x - made.width / 2, y + RADIUS + 1], [x - RADIUS - 2 - made.width, y - 9]];
      const side = sides.find(([left, top]) => isFree(left, top + 2, left + made.width, top + made.height - 2));
      if (side) stamp(made, side[0] + made.width / 2, side[1] + made.height / 2);
    });
  }

  /** Fits the canvas to the window and its place; everything on it is gone then. */
  function clear(view) {
    const sharp = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [view.width, view.height].map((length) => Math.round(length * sharp));
    [canvas.style.width, canvas.style.height] = [`${view.width}px`, `${view.height}px`];
    L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([-MARGIN, -MARGIN]));
    drawn = { corner: map.containerPointToLatLng([-MARGIN, -MARGIN]), zoom: map.getZoom(), x: view.x, y: view.y };
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  }

  function drawRing(view) {
    const [x, y] = at(chosen, view);
    [[5, 'rgba(0,0,0,.5)'], [3, '#ffd54a']].forEach(([line, colour]) => {
      pen.lineWidth = line;
      pen.strokeStyle = colour;
      pen.beginPath();
      pen.arc(x, y, RADIUS + 4, 0, 2 * Math.PI);
      pen.stroke();
    });
  }

  function draw() {
    asked = 0;
    const view = viewNow(MARGIN);
    const scale = Math.pow(2, Math.round(map.getZoom()));
    const isLightPage = document.documentElement.dataset.theme === 'light';
    if (!layout || layout.scale !== scale) layout = layOut(points, scale);
    clear(view);
    drawShapes(view);
    const dots = dotsIn(view);
    for (let i = dots.length - 1; i >= 0; i--) stamp(dot(dots[i].marker), ...at(dots[i].marker, view));
    drawNames(view, dots, isLightPage);
    dots.forEach(({ marker, count }) => {
      const [x, y] = at(marker, view);
      if (count > 1) stamp(badge(count, isLightPage), x + RADIUS - 1, y - RADIUS + 1);
    });
    if (chosen && !chosen.lines) drawRing(view);
  }

  /** Draws where the window leaves what is painted. */
  function follow() {
    const view = viewNow(MARGIN);
    const isPainted = drawn && drawn.zoom === map.getZoom() && Math.abs(drawn.x - view.x) < MARGIN && Math.abs(drawn.y - view.y) < MARGIN;
    if (!isPainted) drawSoon();
  }

  /** Draws before the window is painted next, however often it is asked for. */
  function drawSoon() {
    asked = asked || requestAnimationFrame(draw);
  }

  /** The dot or shape at a place of the window. */
  function find(place) {
    const view = viewNow(0);
    let best = null;
    let least = RADIUS + NEAR;
    if (layout) {
      const around = { x: view.x + place.x, y: view.y + place.y, width: 0, height: 0, scale: view.scale };
      dotsIn(around).forEach((found) => {
        const [x, y] = at(found.marker, view);
        const away = Math.hypot(x - place.x, y - place.y);
        if (away < least) [best, least] = [found, away];
      });
    }
    if (best) return best;
    const shape = shapes.slice().reverse().find((one) => {
      const path = pathOf(one, view);
      pen.save();
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.lineWidth = one.width + 8;
      const isHit = pen.isPointInStroke(path, place.x, place.y) || (one.fill && pen.isPointInPath(path, place.x, place.y, 'evenodd'));
      pen.restore();
      return isHit;
    });
    return shape ? { marker: shape, count: 1, index: -1 } : null;
  }

  map.on('move', follow);
  map.on('resize viewreset zoomend', drawSoon);
  // The canvas is scaled with the tiles while they glide to another zoom level.
  map.on('zoomanim', (event) => {
    if (!drawn) return;
    const corner = map._latLngToNewLayerPoint(drawn.corner, event.zoom, event.center);
    L.DomUtil.setTransform(canvas, corner, map.getZoomScale(event.zoom, drawn.zoom));
  });
  new MutationObserver(drawSoon).observe(document.documentElement, { attributeFilter: ['data-theme'] });

  let hovered = 0;
  map.on('mousemove', (event) => {
    cancelAnimationFrame(hovered);
    hovered = requestAnimationFrame(() => hover(map.dragging.moving() ? null : find(event.containerPoint), event.containerPoint));
  });
  map.on('mouseout movestart', () => {
    cancelAnimationFrame(hovered);
    hover(null);
  });

  return {
    find,
    /** Shows these points, the most important first, and these shapes. */
    set(newPoints, newShapes) {
      [points, shapes, layout] = [newPoints, newShapes, null];
      drawSoon();
    },
    choose(marker) {
      chosen = marker;
      drawSoon();
    },
    /** All points that a dot stands for. */
    under: (found) => (found.index < 0 ? [found.marker] : points.filter((_, i) => layout.owner[i] === found.index)),
  };
}
