// The types of the data that the pages read: the facts of a map (map.js), and markers.

import type * as MapLibre from 'maplibre-gl';

declare global {
  /** The facts of the map that this page shows: map.js sets them. */
  var PIXELMAP: MapFacts | undefined;
  /** The name of the archive that this page shows, in the page of an archive. */
  var PIXELMAP_ARCHIVE: string | undefined;
  var maplibregl: typeof MapLibre;

  /** The scripts with data call these functions, each with the data as its last argument. */
  interface Window {
    PIXELMAP: MapFacts | undefined;
    pixelmapTiles: (...data: any[]) => void;
    pixelmapDetails: (...data: any[]) => void;
    pixelmapMarkers: (...data: any[]) => void;
    pixelmapMoments: (...data: any[]) => void;
    pixelmapPast: (...data: any[]) => void;
  }

  /** A column of blocks. */
  interface Column {
    x: number;
    z: number;
  }

  /** A rectangle of columns, half-open. */
  interface Bounds {
    x0: number;
    z0: number;
    x1: number;
    z1: number;
  }

  interface MapFacts {
    format: number;
    name?: string;
    tile_size: number;
    native_zoom: number;
    dimensions: DimensionFacts[];
    worlds?: { name: string; path: string; this?: boolean }[];
    history?: boolean;
    markers?: MarkerFileFacts[];
    /** The owner's icons that markers name. */
    icons?: { name: string; version?: string }[];
    /** The archive that holds the tiles of the map, instead of a folder. */
    archive?: Archive;
    /** The address of the folder of a map other than the page's own. */
    base?: string;
  }

  interface DimensionFacts {
    id: string;
    path: string;
    name: string;
    spawn: number[] | null;
    layers: LayerFacts[];
    details?: LayerFacts;
    markers?: MarkerFileFacts[];
  }

  /** A dimension whose layers are sorted by the way in which a page shows them. */
  interface Dimension extends DimensionFacts {
    /** The layers that are laid over another one. */
    overlays: LayerFacts[];
    /** The layer of heights for hills. */
    terrain?: LayerFacts;
  }

  interface LayerFacts {
    id: string;
    path: string;
    scheme: 'signed' | 'xyz' | 'tms';
    format: string;
    min_zoom: number;
    max_zoom: number;
    bounds: Bounds;
    focus?: Bounds;
    version?: string;
    /** Rows of the tiles that exist, by zoom level. */
    tiles?: Record<string, TileRow[]>;
    /** Numbers of the files with rows of further zoom levels. */
    lists?: Record<string, number[]>;
    encoding?: string;
    numbers?: boolean;
    overlay?: boolean;
    /** The heights of a layer that shows only a part of the world. */
    heights?: [number, number];
    legend?: LegendFacts[];
  }

  /** A row `y` and its runs of tiles, each from its first to its last x. */
  type TileRow = [number, [number, number][]];

  interface LegendFacts {
    title: string;
    scale?: boolean;
    entries: [string, string][];
    outer?: string[];
    more?: boolean;
  }

  interface MarkerFileFacts {
    kind?: string;
    file: string;
    version?: string;
    count?: number;
  }

  /** Reads the tiles of an archive. */
  interface Archive {
    metadata: any;
    tile(z: number, x: number, y: number): Promise<ArrayBuffer | null>;
  }

  /** A file of markers. */
  interface MarkerSource {
    key: string;
    kind: string;
    file: string;
    version?: string;
    count: number | null;
    /** Whether the owner of the map has written the file. */
    isOwn: boolean;
    text: string;
    /** The address of an earlier version. */
    address?: string;
    /** The script with an earlier version, for a page from disk. */
    script?: string | false | undefined;
    /** The text of the file, if it is not to be loaded. */
    content?: string;
  }

  interface Marker {
    source: MarkerSource;
    /** The switch of the types panel that this marker belongs to. */
    group: MarkerGroup | null;
    type: string;
    name: string;
    icon: string;
    properties: any;
    /** The texts that a search compares, in lower case. */
    lower: string;
    /** The importance: the lowest rank is shown first. */
    rank: number;
    /** The zoom from which the name is shown. */
    named: number;
    symbol: string;
    colour: string;
    x: number;
    y: number | null;
    z: number;
    /** The id of the dimension, in files of the owner. */
    dimension?: string;
    /** The address of the picture of a map item. */
    picture?: string | null;
  }

  interface MarkerGroup {
    text: string;
    isOn: boolean;
  }

  interface PointMarker extends Marker {
    /** The exact position; `x` and `z` are its column. */
    centre: [number, number];
  }

  /** Lines, or the rings of an area. */
  interface ShapeMarker extends Marker {
    lines: [number, number][][];
    bounds: [number, number, number, number];
    isArea: boolean;
    /** Where an area shows its icon. */
    iconAt: [number, number] | null;
    stroke: string;
    width: number;
    fill: string | null;
    opacity: number;
    isDashed: boolean;
  }

  type AnyMarker = PointMarker | ShapeMarker;
}
