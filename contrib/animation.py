#!/usr/bin/env python3
"""Makes docs/serve.webp: six seconds of `pixelmap serve` with the demo world, for the first screen of README.md.

    contrib/animation.py OUTPUT.webp [PIXELMAP]

A sketch fills in, the view moves closer, and a click on a marker shows its card. PIXELMAP is the program; without it
cargo builds one. The answers of the server are held back and let through frame by frame, so that each recording looks
the same; all else is what the page does.

It needs Python and Chromium, and nothing else: Chromium encodes the pictures, and this script puts them into one file.
"""

import base64
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 860, 500
FRAME = 100  # milliseconds
QUALITY = 0.8
START = (125, 10, -0.55)  # x, z and zoom
END = (60, 118, 0.9)
MARKER = (4, 197)
ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

# Gives this script access to Leaflet's map, and draws a pointer.
IN_PAGE = """
let leaflet;
Object.defineProperty(window, 'L', {
  configurable: true,
  get: () => leaflet,
  set: (value) => {
    leaflet = value;
    leaflet.Map.addInitHook(function () {
      window.shownMap = this;
      this.options.zoomSnap = 0;
    });
  },
});
// The time of the map differs from one recording to the next.
addEventListener('DOMContentLoaded', () => {
  document.head.appendChild(document.createElement('style')).textContent = '#updated { display: none }';
});
window.point = (x, y) => {
  let pointer = document.getElementById('pointer-of-film');
  if (!pointer) {
    pointer = document.body.appendChild(document.createElement('div'));
    pointer.id = 'pointer-of-film';
    pointer.style.cssText = 'position:fixed;z-index:99999;pointer-events:none;width:22px;height:30px';
    pointer.innerHTML = '<svg viewBox="0 0 22 30"><path d="M2 2v22l6-5 4 9 4-2-4-9h8z" fill="#fff" stroke="#000" stroke-width="1.6"/></svg>';
  }
  pointer.style.left = `${x - 2}px`;
  pointer.style.top = `${y - 2}px`;
};
"""

# Compares each picture with the previous one, and encodes the rectangle that differs.
ENCODER = """
const [width, height, quality] = [%d, %d, %g];
const now = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
let before = null;
async function bytes(canvas, quality) {
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
  return new Uint8Array(await blob.arrayBuffer());
}
async function encode(png) {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  now.drawImage(picture, 0, 0);
  const pixels = new Uint32Array(now.getImageData(0, 0, width, height).data.buffer);
  let [x0, y0, x1, y1] = [width, height, 0, 0];
  for (let at = 0; at < pixels.length; at++) {
    if (before && pixels[at] === before[at]) continue;
    const [x, y] = [at %% width, Math.floor(at / width)];
    [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x + 1), Math.max(y1, y + 1)];
  }
  before = pixels;
  if (x0 >= x1) return null;
  // A frame begins at even numbers.
  [x0, y0] = [x0 - x0 %% 2, y0 - y0 %% 2];
  const part = new OffscreenCanvas(x1 - x0, y1 - y0);
  part.getContext('2d').drawImage(picture, -x0, -y0);
  // Quality 1 is lossless.
  const both = [await bytes(part, quality), await bytes(part, 1)];
  const best = both[0].length < both[1].length ? both[0] : both[1];
  let text = '';
  for (const byte of best) text += String.fromCharCode(byte);
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0, webp: btoa(text) };
}
""" % (WIDTH, HEIGHT, QUALITY)


class Page:
    """A page in a browser without a window, driven over pipes."""

    def __init__(self, browser, address="about:blank"):
        self.browser = browser
        self.session = None
        target = self.call("Target.createTarget", url=address)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.held = []
        self.call("Page.enable")
        self.call("Runtime.enable")

    def call(self, method, **params):
        return self.browser.call(self, method, params)

    def eval(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait_for(self, script):
        for _ in range(600):
            if self.eval(script):
                return
            time.sleep(0.05)
        raise RuntimeError(f"the page never has: {script}")

    def picture(self):
        return self.call("Page.captureScreenshot", format="png")["data"]

    def held_requests(self):
        """The requests that are held back, in the order of their addresses."""
        self.eval("1")  # All earlier events have been read after this call.
        return sorted(self.held, key=lambda request: request["request"]["url"])

    def let_through(self, request):
        self.held.remove(request)
        try:
            self.call("Fetch.continueRequest", requestId=request["requestId"])
        except RuntimeError:
            pass  # The page has cancelled this request.


class Browser:
    def __init__(self, folder):
        name = next((name for name in NAMES if shutil.which(name)), None)
        if not name:
            sys.exit("animation: there is no Chromium")
        command = (
            f"exec {name} --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1"
            f' --no-first-run --disable-background-networking --disable-dev-shm-usage --user-data-dir="{folder}"'
            f" --window-size={WIDTH},{HEIGHT} --remote-debugging-pipe about:blank 3<&0 4>&1 </dev/null >/dev/null"
        )
        self.process = subprocess.Popen(
            ["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0
        self.text = b""
        self.pages = {}

    def call(self, page, method, params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if page.session:
            message["sessionId"] = page.session
            self.pages[page.session] = page
        self.process.stdin.write(json.dumps(message).encode() + b"\0")
        self.process.stdin.flush()
        while True:
            answer = self.read()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") == "Fetch.requestPaused":
                self.pages[answer["sessionId"]].held.append(answer["params"])

    def read(self):
        while b"\0" not in self.text:
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                sys.exit("animation: the browser has ended")
            self.text += part
        answer, _, self.text = self.text.partition(b"\0")
        return json.loads(answer)


class Film:
    """Frames, each with the rectangle that is new and how long it is shown."""

    def __init__(self, encoder):
        self.page, self.encoder = None, encoder
        self.frames = []

    def take(self, count=1):
        """Takes a picture, and shows it for so many frames."""
        part = self.encoder.eval(f"encode({json.dumps(self.page.picture())})")
        if part:
            self.frames.append([part, 0])
        self.frames[-1][1] += count * FRAME

    def webp(self):
        canvas = struct.pack("<I", WIDTH - 1)[:3] + struct.pack("<I", HEIGHT - 1)[:3]
        body = chunk(b"VP8X", bytes([2, 0, 0, 0]) + canvas) + chunk(b"ANIM", bytes(6))
        for part, duration in self.frames:
            numbers = [part["x"] // 2, part["y"] // 2, part["width"] - 1, part["height"] - 1, duration]
            head = b"".join(struct.pack("<I", number)[:3] for number in numbers) + bytes([2])
            body += chunk(b"ANMF", head + picture_chunks(base64.b64decode(part["webp"])))
        return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def picture_chunks(webp):
    """The chunks of a WebP file that hold its pixels."""
    chunks, at = b"", 12
    while at < len(webp):
        name, length = webp[at : at + 4], struct.unpack("<I", webp[at + 4 : at + 8])[0]
        if name in (b"VP8 ", b"VP8L"):
            chunks += chunk(name, webp[at + 8 : at + 8 + length])
        at += 8 + length + length % 2
    return chunks


def ease(share):
    return share * share * (3 - 2 * share)


def move(page, x, z, zoom):
    page.eval(f"void shownMap.setView([{-z}, {x}], {zoom}, {{ animate: false }})")


def see(page, x, z, zoom):
    """Moves the view to a place, and waits for its tiles."""
    move(page, x, z, zoom)
    page.wait_for("document.querySelector('img.leaflet-tile:not(.leaflet-tile-loaded)') === null")
    time.sleep(0.1)  # Until the page has read the details of the place.


def open_page(browser, address, held):
    """Opens the page of a server; requests that match a pattern of `held` are held back."""
    page = Page(browser)
    page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    page.call("Page.addScriptToEvaluateOnNewDocument", source=IN_PAGE)
    # Shows tiles without fading, because this script makes all movement.
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    if held:
        page.call("Fetch.enable", patterns=[{"urlPattern": pattern} for pattern in held])
    page.call("Page.navigate", url=f"{address}#overworld/day/{START[0]}/{START[1]}/-1")
    page.wait_for("window.shownMap !== undefined")
    move(page, *START)
    return page


def record_drawing(page, film):
    """Shows the sketch appear and then the drawn tiles replace it."""
    film.page = page
    film.take(3)
    sketched = [request for request in page.held_requests() if ".png" in request["request"]["url"]]
    for count, request in enumerate(sketched, 1):
        page.let_through(request)
        page.wait_for(f"document.querySelectorAll('img.leaflet-tile-loaded').length >= {count}")
        film.take(2)
    film.take(2)
    for request in page.held_requests():
        page.let_through(request)  # Now the server draws the visible area.
    page.wait_for("document.getElementById('drawing').textContent.startsWith('4 of')")
    for _ in sketched:
        for _ in range(200):
            drawn = page.held_requests()
            if drawn:
                break
            time.sleep(0.05)
        page.let_through(drawn[0])
        time.sleep(0.3)
        film.take(2)


def record_map(page, film):
    """The finished map: closer, and a click on a marker."""
    film.page = page
    page.wait_for("document.querySelector('canvas.markers') !== null")
    time.sleep(0.5)
    see(page, *START)
    film.take(4)
    for step in range(1, 15):
        share = ease(step / 14)
        see(page, *(start + (end - start) * share for start, end in zip(START, END)))
        film.take()
    film.take(2)
    x, y = page.eval(
        f"(() => {{ const at = shownMap.latLngToContainerPoint([{-MARKER[1]}, {MARKER[0]}]); return [at.x, at.y]; }})()"
    )
    for step in range(1, 8):
        share = ease(step / 7)
        page.eval(f"point({WIDTH * 0.5 + (x - WIDTH * 0.5) * share}, {HEIGHT * 0.9 + (y - HEIGHT * 0.9) * share})")
        film.take()
    for kind in ("mousePressed", "mouseReleased"):
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    time.sleep(0.5)
    film.take(16)


class Server:
    def __init__(self, program, *words):
        self.process = subprocess.Popen(
            [program, "serve", *words, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True
        )
        words = (word for line in self.process.stderr for word in line.split())
        self.address = next(word for word in words if word.startswith("http://"))

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: contrib/animation.py OUTPUT.webp [PIXELMAP]")
    if len(sys.argv) == 3:
        program = shutil.which(sys.argv[2])
    else:
        subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
        program = ROOT / "target/release/pixelmap"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        world = folder / "world"
        shutil.copytree(ROOT / "fixtures/demo", world)
        # A far region, so that the world is larger than the island and has outer tiles, which are sketched.
        shutil.copy(ROOT / "fixtures/root-3955/region/r.0.0.mca", world / "region/r.6.5.mca")
        drawn = [world, "--markers", ROOT / "contrib/demo.geojson", "--details"]
        subprocess.run([program, "render", *drawn, "-o", folder / "map", "-q"], check=True)
        browser = Browser(folder / "profile")
        try:
            encoder = Page(browser)
            encoder.eval(ENCODER)
            film = Film(encoder)
            with Server(program, world, "--on-demand", "-t", "1") as address:
                record_drawing(open_page(browser, address, ["*.png*", "*/live\\?*"]), film)
            with Server(program, folder / "map") as address:
                record_map(open_page(browser, address, []), film)
            pathlib.Path(sys.argv[1]).write_bytes(film.webp())
        finally:
            browser.process.terminate()
            browser.process.wait()


main()
