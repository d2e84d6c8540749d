//! Drives a browser without a window, by the protocol of Chromium over two pipes
//! (chromedevtools.github.io/devtools-protocol): JSON messages, each followed by a zero byte.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::map::{Rgba, base64};
use crate::missing;

/// The names under which systems have it. The first is Chromium without the code for windows, so it
/// needs less than half of the CPU time.
const NAMES: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
/// The longest wait for the content of a page.
const PATIENCE: Duration = Duration::from_mins(3);
/// The size of the window, in pixels.
pub(super) const WINDOW: (u32, u32) = (1200, 800);

/// A page in a browser of its own.
pub(super) struct Page {
    browser: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// The number of the last call.
    number: u64,
    session: Option<String>,
    /// The errors that the page reported.
    pub(super) errors: Vec<String>,
    /// The profile of the browser.
    folder: tempfile::TempDir,
}

impl Drop for Page {
    fn drop(&mut self) {
        // The browser and its child processes are a group. If only the first process ended, the
        // others would leave files behind.
        if let Some(group) = i32::try_from(self.browser.id())
            .ok()
            .and_then(Pid::from_raw)
        {
            let _ = kill_process_group(group, Signal::KILL);
        }

        let _ = self.browser.wait();
        let start = Instant::now();
        while self.folder.path().exists() && start.elapsed() < PATIENCE {
            let _ = std::fs::remove_dir_all(self.folder.path());
        }
    }
}

/// The errors of the browser if the page has been left.
const GONE: [&str; 2] = [
    "Inspected target navigated or closed",
    "Execution context was destroyed.",
];

impl Page {
    /// Starts a browser. Returns `None` if there is none, and reports it on the terminal.
    pub(super) fn open() -> Option<Self> {
        Self::open_with("--disable-gpu")
    }

    /// Starts a browser that has WebGL, computed by the processor.
    pub(super) fn open_with_webgl() -> Option<Self> {
        Self::open_with("--use-angle=swiftshader --enable-unsafe-swiftshader")
    }

    fn open_with(options: &str) -> Option<Self> {
        let is_there = |name: &&str| {
            let found = Command::new("sh")
                .args(["-c", &format!("command -v {name}")])
                .output();
            found.is_ok_and(|found| found.status.success())
        };

        let Some(name) = NAMES.into_iter().find(is_there) else {
            missing::report(
                "chromium",
                "the page in a browser: there is no Chromium, install the package chromium",
            );
            return None;
        };

        let folder = tempfile::tempdir().unwrap();
        let (width, height) = WINDOW;

        // It reads from descriptor 3 and writes to 4.
        let script = format!(
            "exec {name} --headless --no-sandbox {options} --hide-scrollbars \
             --force-device-scale-factor=1 --accept-lang=en-US --no-first-run \
             --disable-background-networking --disable-dev-shm-usage --user-data-dir=\"$0\" \
             --window-size={width},{height} --remote-debugging-pipe about:blank 3<&0 4>&1 \
             </dev/null >/dev/null"
        );

        let mut browser = Command::new("sh")
            .args(["-c", &script])
            .arg(folder.path())
            .env("TMPDIR", folder.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();

        let (to, from) = (
            browser.stdin.take().unwrap(),
            BufReader::new(browser.stdout.take().unwrap()),
        );

        let mut page = Self {
            browser,
            to,
            from,
            number: 0,
            session: None,
            errors: Vec::new(),
            folder,
        };

        let target = page.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attached = page.call(
            "Target.attachToTarget",
            &json!({"targetId": target["targetId"], "flatten": true}),
        );
        page.session = Some(attached["sessionId"].as_str().unwrap().to_owned());

        for what in [
            "Runtime.enable",
            "Log.enable",
            "Network.enable",
            "Page.enable",
        ] {
            page.call(what, &json!({}));
        }

        page.resize(WINDOW);
        Some(page)
    }

    /// Gives the window another size.
    pub(super) fn resize(&mut self, (width, height): (u32, u32)) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Calls a method of the protocol and returns its result.
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;

        let mut message = json!({"id": self.number, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }

        self.to
            .write_all(&[message.to_string().as_bytes(), &[0]].concat())
            .unwrap();

        loop {
            let mut bytes = Vec::new();
            let read = self.from.read_until(0, &mut bytes).unwrap();
            assert!(read > 0, "the browser ended at {method}");

            let mut answer: Value = serde_json::from_slice(&bytes[..read - 1]).unwrap();
            if answer["id"] == json!(self.number) {
                // The page went to another address before it answered, so nobody has the value now.
                if GONE.iter().any(|gone| answer["error"]["message"] == *gone) {
                    return json!({"result": {}});
                }

                assert!(
                    answer.get("error").is_none(),
                    "{method}: {}",
                    answer["error"]
                );
                return answer["result"].take();
            }

            self.note(&answer);
        }
    }

    /// Records the errors of a page: exceptions, error messages, and error answers of hosts.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let is_error = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => params["type"] == "error",
            "Log.entryAdded" => params["entry"]["level"] == "error",
            "Network.responseReceived" => params["response"]["status"]
                .as_u64()
                .is_some_and(|status| status >= 400),
            _ => false,
        };

        if is_error {
            self.errors.push(params.to_string());
        }
    }

    /// Opens an address.
    pub(super) fn go(&mut self, address: &str) {
        self.call("Page.navigate", &json!({"url": address}));
        self.wait_for("document.readyState === 'complete'");
    }

    /// Returns the value of an expression in the page.
    pub(super) fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true});
        let mut answer = self.call("Runtime.evaluate", &asked);
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].take()
    }

    /// Waits until an expression is true.
    pub(super) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression) != json!(true) {
            assert!(
                start.elapsed() < PATIENCE,
                "never true: {expression}; {:?}",
                self.errors
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until all tiles in sight are shown.
    pub(super) fn wait_for_tiles(&mut self) {
        self.wait_for(
            "(() => \
             { const all = [...document.querySelectorAll('img.leaflet-tile')]; return all.length > 0 && all.every((tile) => tile.complete && tile.matches('.leaflet-tile-loaded') && getComputedStyle(tile).opacity === '1'); })()",
        );
    }

    /// Types into the field with this id, and sends its form.
    pub(super) fn send(&mut self, id: &str, text: &str) {
        let text = json!(text);
        self.eval(&format!(
            "(() => \
             {{ const field = document.getElementById('{id}'); field.value = {text}; field.form.requestSubmit(); }})()"
        ));
    }

    /// Chooses a folder in the field with this id.
    pub(super) fn choose(&mut self, id: &str, folder: &Path) {
        let field = json!({"expression": format!("document.getElementById('{id}')")});
        let field = self.call("Runtime.evaluate", &field);
        let files = json!({"files": [folder], "objectId": field["result"]["objectId"]});
        self.call("DOM.setFileInputFiles", &files);
    }

    /// Presses and releases the mouse at a place of the window.
    pub(super) fn click(&mut self, x: u32, y: u32) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Returns the part of the page's address from `#` on.
    pub(super) fn address(&mut self) -> String {
        self.eval("location.hash").as_str().unwrap().to_owned()
    }

    /// The pixels of the window, `[y][x]`.
    pub(super) fn pixels(&mut self) -> Vec<Vec<Rgba>> {
        let picture = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        let picture = base64(picture["data"].as_str().unwrap());
        let picture = image::load_from_memory(&picture).unwrap().into_rgba8();
        picture
            .rows()
            .map(|row| row.map(|pixel| pixel.0).collect())
            .collect()
    }
}
