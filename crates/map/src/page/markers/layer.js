// @ts-check

/*
 * Shows markers on the map: one canvas above the tiles, with dots, names and shapes.
 *
 * The canvas is larger than the window, so that the map can be dragged a little without painting.
 * This module does not know files of markers or the panel.
 */

import { OUTSTANDING_RANK, kindOf } from './kinds.js';
import { FreeSpace, Layout } from './layout.js';
import {
  MAX_RADIUS,
  UNKNOWN_COLOUR,
  crowd,
  dot,
  dotRadius,
  label,
  penOf,
  setFill,
  sharpness,
} from './symbols.js';

/** Pixels of the canvas outside each side of the window. */
const MARGIN = 256;
/** A click this far from a dot still hits it. */
const NEAR = 4;
/** Parts of a shape that are this far outside the view are cut off. */
const CUT = 100;
/** The widest outline of a shape. */
const MAX_OUTLINE = 20;
/** A dot of more markers shows no name, because the name of one of them would mislead. */
const MAX_NAMED = 9;
/** An area shows its icon if it is at least this large, in pixels. */
const MIN_AREA = 28;

const RING_COLOUR = '#ffd54a';

/**
 * A view in pixels: block (x, z) is at (x * scale - view.x, z * scale - view.y).
 *
 * @typedef {{ x: number, y: number, scale: number, width: number, height: number }} View
 */

/**
 * A dot or a shape. A shape has index -1.
 *
 * @typedef {{ marker: AnyMarker, index: number, count: number }} Hit
 */

export class MarkerLayer {
  #map;
  #canvas;
  #pen;
  /** @type {PointMarker[]} */
  #points = [];
  /** @type {ShapeMarker[]} */
  #shapes = [];
  /** @type {Layout | null} */
  #layout = null;
  /** @type {Marker | null} */
  #chosen = null;
  /** @type {{ corner: L.LatLng, zoom: number, x: number, y: number } | null} */
  #painted = null;
  #frame = 0;

  /**
   * @param {L.Map} map
   * @param {(hit: Hit | null, at?: L.Point) => void} hover hears which marker is under the mouse
   */
  constructor(map, hover) {
    const pane = map.getPane('overlayPane');
    this.#map = map;
    this.#canvas = L.DomUtil.create('canvas', 'leaflet-zoom-animated markers', pane);
    this.#pen = penOf(this.#canvas);

    map.on('move', () => this.#follow());
    map.on('resize viewreset zoomend', () => this.#paintSoon());
    map.on('zoomanim', (event) => this.#scale(event));
    const observer = new MutationObserver(() => this.#paintSoon());
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#followMouse(hover);
  }

  /**
   * Shows these markers, the most important points first.
   *
   * @param {PointMarker[]} points
   * @param {ShapeMarker[]} shapes
   */
  set(points, shapes) {
    this.#points = points;
    this.#shapes = shapes;
    this.#layout = null;
    this.#paintSoon();
  }

  /**
   * Highlights a marker.
   *
   * @param {Marker | null} marker
   */
  choose(marker) {
    this.#chosen = marker;
    this.#paintSoon();
  }

  /**
   * Returns all markers that a dot stands for.
   *
   * @param {Hit} hit
   * @returns {PointMarker[]}
   */
  markersOf(hit) {
    const dotHit = /** @type {import('./layout.js').Dot} */ (hit);
    return this.#layout && hit.index >= 0 ? this.#layout.markersOf(dotHit) : [];
  }

  /**
   * Returns the nearest dot at a point of the window, or the topmost shape there.
   *
   * @param {L.Point} at
   * @returns {Hit | null}
   */
  find(at) {
    const view = this.#view(0);
    return this.#findDot(at, view) ?? this.#findShape(at, view);
  }

  /**
   * @param {L.Point} at
   * @param {View} view
   */
  #findDot(at, view) {
    if (!this.#layout) return null;

    const around = { ...view, x: view.x + at.x, y: view.y + at.y, width: 0, height: 0 };
    let nearest = null;
    let least = NEAR;
    for (const found of this.#dotsIn(this.#layout, around)) {
      const [x, y] = pixelOf(found.marker.centre, view);
      const distance = Math.hypot(x - at.x, y - at.y) - dotRadius(found.count);
      if (distance < least) [nearest, least] = [found, distance];
    }
    return nearest;
  }

  /**
   * @param {L.Point} at
   * @param {View} view
   */
  #findShape(at, view) {
    const shape = this.#shapes.findLast((one) => this.#isHit(one, at, view));
    return shape ? { marker: shape, index: -1, count: 1 } : null;
  }

  /**
   * @param {ShapeMarker} shape
   * @param {L.Point} at
   * @param {View} view
   */
  #isHit(shape, { x, y }, view) {
    const path = shapePath(shape, view);
    const pen = this.#pen;
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.lineWidth = shape.width + 2 * NEAR;
    const isInside = shape.fill !== null && pen.isPointInPath(path, x, y, 'evenodd');
    const isHit = isInside || pen.isPointInStroke(path, x, y);
    pen.restore();
    return isHit;
  }

  /** @param {(hit: Hit | null, at?: L.Point) => void} hover */
  #followMouse(hover) {
    let frame = 0;
    this.#map.on('mousemove', ({ containerPoint }) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const isDragging = /** @type {any} */ (this.#map.dragging).moving();
        hover(isDragging ? null : this.find(containerPoint), containerPoint);
      });
    });
    this.#map.on('mouseout movestart', () => {
      cancelAnimationFrame(frame);
      hover(null);
    });
  }

  /**
   * Returns the present view with a margin around it.
   *
   * @param {number} margin
   * @returns {View}
   */
  #view(margin) {
    const corner = /** @type {L.Point} */ (this.#map.getPixelBounds().min);
    const size = this.#map.getSize();
    return {
      x: corner.x - margin,
      y: corner.y - margin,
      scale: Math.pow(2, this.#map.getZoom()),
      width: size.x + 2 * margin,
      height: size.y + 2 * margin,
    };
  }

  /**
   * @param {Layout} layout
   * @param {View} view
   */
  #dotsIn(layout, { x, y, width, height, scale }) {
    const edge = MAX_RADIUS + NEAR;
    return layout.dotsWithin(x - edge, y - edge, x + width + edge, y + height + edge, scale);
  }

  /** Paints again if the window has left the painted part. */
  #follow() {
    const { x, y } = this.#view(MARGIN);
    const painted = this.#painted;
    const isWithin =
      painted !== null &&
      painted.zoom === this.#map.getZoom() &&
      Math.abs(painted.x - x) < MARGIN &&
      Math.abs(painted.y - y) < MARGIN;
    if (!isWithin) this.#paintSoon();
  }

  /** Paints once before the browser shows the next frame, however often this is called. */
  #paintSoon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  /**
   * Scales the canvas with the tiles while they glide to another zoom level.
   *
   * @param {L.ZoomAnimEvent} event
   */
  #scale({ zoom, center }) {
    if (!this.#painted) return;
    const { corner, zoom: paintedZoom } = this.#painted;
    const map = /** @type {any} */ (this.#map);
    const at = map._latLngToNewLayerPoint(corner, zoom, center);
    L.DomUtil.setTransform(this.#canvas, at, this.#map.getZoomScale(zoom, paintedZoom));
  }

  #paint() {
    const view = this.#view(MARGIN);
    const scale = Math.pow(2, Math.round(this.#map.getZoom()));
    if (this.#layout?.scale !== scale) this.#layout = new Layout(this.#points, scale);
    const layout = /** @type {Layout} */ (this.#layout);
    const isLightPage = document.documentElement.dataset.theme === 'light';

    this.#clear(view);
    for (const shape of this.#shapes) this.#paintShape(shape, view);
    for (const shape of this.#shapes) this.#paintIcon(shape, view);

    const dots = this.#dotsIn(layout, view);
    // The most important dot is painted last, so that it covers the others.
    for (const one of [...dots].reverse()) {
      this.#stamp(signOfDot(one), pixelOf(one.marker.centre, view));
    }
    this.#paintNames(dots, view, isLightPage);
    this.#paintRing(dots, view);
  }

  /**
   * Fits the canvas to the window. This also clears it.
   *
   * @param {View} view
   */
  #clear({ width, height, x, y }) {
    const [canvas, map] = [this.#canvas, this.#map];
    canvas.width = Math.round(width * sharpness());
    canvas.height = Math.round(height * sharpness());
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([-MARGIN, -MARGIN]));

    const corner = map.containerPointToLatLng([-MARGIN, -MARGIN]);
    this.#painted = { corner, zoom: map.getZoom(), x, y };
    this.#pen.setTransform(sharpness(), 0, 0, sharpness(), 0, 0);
  }

  /**
   * Draws a sign a whole number of the screen's pixels from the corner, so that it stays sharp.
   *
   * @param {import('./symbols.js').Sign} sign
   * @param {readonly [number, number]} middle
   */
  #stamp({ canvas, width, height }, [x, y]) {
    const left = Math.round((x - width / 2) * sharpness()) / sharpness();
    const top = Math.round((y - height / 2) * sharpness()) / sharpness();
    this.#pen.drawImage(canvas, left, top, width, height);
  }

  /**
   * @param {ShapeMarker} shape
   * @param {View} view
   */
  #paintShape(shape, view) {
    if (!isInView(shape, view)) return;

    const pen = this.#pen;
    const path = shapePath(shape, view);
    if (shape.fill) {
      pen.globalAlpha = shape.opacity;
      setFill(pen, shape.fill);
      pen.fill(path, 'evenodd');
      pen.globalAlpha = 1;
    }

    pen.lineJoin = pen.lineCap = 'round';
    pen.setLineDash(shape.isDashed ? [10, 8] : []);
    // A darker line around the outline sets it apart from the map.
    pen.lineWidth = shape.width + 2;
    pen.strokeStyle = 'rgba(0,0,0,.3)';
    pen.stroke(path);

    pen.lineWidth = shape.width + (shape === this.#chosen ? 2 : 0);
    pen.strokeStyle = UNKNOWN_COLOUR;
    pen.strokeStyle = shape.stroke;
    pen.stroke(path);
    pen.setLineDash([]);
  }

  /**
   * Paints the icon of an area, if the area has one and room for it.
   *
   * @param {ShapeMarker} shape
   * @param {View} view
   */
  #paintIcon(shape, view) {
    const { iconAt, bounds } = shape;
    const [x0, z0, x1, z1] = bounds;
    const isLarge = Math.min(x1 - x0, z1 - z0) * view.scale >= MIN_AREA;
    if (iconAt && isLarge && isInView(shape, view)) this.#stamp(dot(shape), pixelOf(iconAt, view));
  }

  /**
   * Writes the names that have room next to their dots.
   *
   * @param {import('./layout.js').Dot[]} dots
   * @param {View} view
   * @param {boolean} isLightPage
   */
  #paintNames(dots, view, isLightPage) {
    const zoom = this.#map.getZoom();
    const named = dots.filter(
      ({ marker, count }) =>
        zoom >= marker.named && (count <= MAX_NAMED || marker.rank === OUTSTANDING_RANK),
    );
    if (named.length === 0) return;

    const space = new FreeSpace();
    for (const { marker, count } of dots) {
      const [x, y] = pixelOf(marker.centre, view);
      const radius = dotRadius(count);
      space.take(x - radius, y - radius + 1, x + radius, y + radius - 1);
    }

    for (const { marker, count } of named) {
      const sign = label(marker.name, isLightPage);
      const { width, height } = sign;
      const [x, y] = pixelOf(marker.centre, view);
      const radius = dotRadius(count);
      const sides = [
        [x + radius + 2, y - 9],
        [x - width / 2, y + radius + 1],
        [x - radius - 2 - width, y - 9],
      ];
      const side = sides.find(([left, top]) =>
        space.take(left, top + 2, left + width, top + height - 2),
      );
      if (side) this.#stamp(sign, [side[0] + width / 2, side[1] + height / 2]);
    }
  }

  /**
   * Draws a ring around the chosen dot.
   *
   * @param {import('./layout.js').Dot[]} dots
   * @param {View} view
   */
  #paintRing(dots, view) {
    if (!this.#chosen || 'lines' in this.#chosen) return;

    const { centre } = /** @type {PointMarker} */ (this.#chosen);
    const [x, y] = pixelOf(centre, view);
    const count = dots.find(({ marker }) => marker === this.#chosen)?.count ?? 1;
    const radius = dotRadius(count) + 4;
    const pen = this.#pen;
    for (const [width, colour] of /** @type {const} */ ([
      [5, 'rgba(0,0,0,.5)'],
      [3, RING_COLOUR],
    ])) {
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.stroke();
    }
  }
}

/**
 * Returns the sign of a dot. A dot of several markers has the colour that the panel shows for the
 * kind of most of them, because a map in which each crowd had the colour of one marker would be a
 * patchwork.
 *
 * @param {import('./layout.js').Dot} dot
 */
function signOfDot({ marker, count, source }) {
  return count === 1 ? dot(marker) : crowd(count, kindOf(source).colour);
}

/**
 * @param {[number, number]} position
 * @param {View} view
 * @returns {[number, number]}
 */
function pixelOf([x, z], view) {
  return [x * view.scale - view.x, z * view.scale - view.y];
}

/**
 * @param {ShapeMarker} shape
 * @param {View} view
 */
function isInView({ bounds }, { x, y, width, height, scale }) {
  const [x0, z0, x1, z1] = bounds.map((at) => at * scale);
  return (
    x1 >= x - MAX_OUTLINE &&
    x0 <= x + width + MAX_OUTLINE &&
    z1 >= y - MAX_OUTLINE &&
    z0 <= y + height + MAX_OUTLINE
  );
}

/**
 * Returns the path of a shape in pixels. Parts that are far outside the view are cut off, because a
 * border may be 60 million blocks long.
 *
 * @param {ShapeMarker} shape
 * @param {View} view
 */
function shapePath(shape, view) {
  const path = new Path2D();
  const size = L.bounds([-CUT, -CUT], [view.width + CUT, view.height + CUT]);
  for (const line of shape.lines) {
    const points = line.map(([x, z]) => L.point(x * view.scale - view.x, z * view.scale - view.y));
    if (shape.isArea) addRing(path, points, size);
    else addLine(path, points, size);
  }
  return path;
}

/**
 * @param {Path2D} path
 * @param {L.Point[]} points
 * @param {L.Bounds} size
 */
function addRing(path, points, size) {
  const [first, ...others] = L.PolyUtil.clipPolygon(points, size);
  if (!first) return;
  path.moveTo(first.x, first.y);
  for (const { x, y } of others) path.lineTo(x, y);
  path.closePath();
}

/**
 * @param {Path2D} path
 * @param {L.Point[]} points
 * @param {L.Bounds} size
 */
function addLine(path, points, size) {
  for (let at = 1; at < points.length; at++) {
    const part = L.LineUtil.clipSegment(points[at - 1], points[at], size, false, false);
    if (!part) continue;

    const [start, end] = part;
    const isJoined = at > 1 && start === points[at - 1] && size.contains(start);
    if (!isJoined) path.moveTo(start.x, start.y);
    path.lineTo(end.x, end.y);
  }
}
