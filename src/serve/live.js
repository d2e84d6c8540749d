/* A map that is drawn while it is looked at: tells the server what is seen, and takes what it draws.
 *
 * A plain script, which the server puts into the page of a world. It sets the global
 * `PixelmapLive` and knows Leaflet's map, and of the page what `viewer.js` hands over.
 */
var PixelmapLive = (function () {
  'use strict';

  const SETTLE = 150; // milliseconds that the view rests before the server is told of it
  const AGAIN = 3000; // milliseconds until a server that is away is asked again
  const textures = document.currentScript.dataset; // of what the server draws further in than there are files

  /** Follows what is drawn. `seen` returns the dimension and the layer that are shown, and `tiles`, its layer of Leaflet;
   * `look` has the page look for a newer map. */
  function follow(map, seen, look) {
    const status = document.getElementById('status');
    const progress = status.appendChild(document.createElement('span'));
    progress.id = 'drawing';
    let events = null;
    let waiting = 0;

    /** The address of the events of what is seen: the server draws first what somebody listens to. */
    function address() {
      const { dimension, layer, tiles } = seen();
      const bounds = map.getBounds();
      const view = {
        layer: layer.path,
        zoom: tiles.zoomShown(),
        x0: Math.floor(bounds.getWest()),
        z0: Math.floor(-bounds.getNorth()),
        x1: Math.ceil(bounds.getEast()),
        z1: Math.ceil(-bounds.getSouth()),
      };
      return dimension && `live?${new URLSearchParams(view)}`;
    }

    function listen() {
      if (events) events.close();
      events = new EventSource(address());
      events.addEventListener('tiles', (event) => {
        const { tiles } = seen();
        JSON.parse(event.data).forEach(([z, x, y]) => tiles.takeAnew(z, x, y));
      });
      events.addEventListener('progress', (event) => {
        const { drawn, of } = JSON.parse(event.data);
        progress.textContent = drawn < of ? `${drawn} of ${of} regions drawn` : '';
      });
      // Also each time when what the game saved is drawn: nothing is drawn for what is seen any more.
      events.addEventListener('finished', () => {
        map.off('moveend layeradd', moved);
        clearTimeout(waiting);
        progress.remove();
        look().catch(() => {});
      });
      events.onerror = () => {
        // The browser tries again by itself unless the server refuses.
        if (events.readyState === EventSource.CLOSED) moved(AGAIN);
      };
    }

    function moved(after) {
      clearTimeout(waiting);
      waiting = setTimeout(listen, Number.isFinite(after) ? after : SETTLE);
    }

    // A page that nobody sees wants nothing, and a browser has few connections to a host.
    document.addEventListener('visibilitychange', () => {
      clearTimeout(waiting);
      if (!document.hidden) listen();
      else if (events) events.close();
    });
    map.on('moveend', moved);
    // Another layer at the same place is another view.
    map.on('layeradd', moved);
    moved(0);
  }

  /** The innermost zoom level of a layer: the server draws tiles with textures beyond that of the files. */
  function innermost(layer) {
    return (textures.layers || '').split(' ').includes(layer.id) ? Number(textures.innermost) : layer.max_zoom;
  }

  return { follow, innermost };
})();
