"""A headless Chromium, driven over its debugging pipe: JSON messages that end with a zero byte, on descriptors 3 and 4."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

PATIENCE = float(os.environ.get("TEST_PATIENCE", "1"))


class BrowserError(Exception):
    pass


def executable():
    """Where Chromium is; None where it is not installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self):
        program = executable()
        if program is None:
            raise BrowserError("chromium is not installed; deploy/packages.sh has it in page_packages")
        self.profile = tempfile.mkdtemp(prefix="ss-chromium-")
        for_browser, ours_out = self._pipe()
        ours_in, from_browser = self._pipe()
        arguments = [
            program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu",
            "--disable-extensions", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--mute-audio",
            "--hide-scrollbars", "--lang=en-GB", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        # Only a shell can give a child the descriptors 3 and 4 whatever this process has there.
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec 3<&"$0" 4>&"$1"; shift; exec "$@"', str(for_browser), str(from_browser), *arguments],
            pass_fds=(for_browser, from_browser), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "TZ": "UTC"})
        os.close(for_browser)
        os.close(from_browser)
        self.output = os.fdopen(ours_out, "wb", buffering=0)
        self.input = os.fdopen(ours_in, "rb", buffering=0)
        self.changed = threading.Condition()
        self.answers = {}
        self.pages = {}
        self.number = 0
        self.is_closed = False
        threading.Thread(target=self._read, daemon=True).start()

    @staticmethod
    def _pipe():
        low = os.pipe()
        high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low)
        for end in low:
            os.close(end)
        return high

    def _read(self):
        waiting = b""
        while True:
            part = self.input.read(1 << 16)
            if not part:
                break
            *messages, waiting = (waiting + part).split(b"\0")
            for message in messages:
                self._take(json.loads(message))
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()

    def _take(self, message):
        with self.changed:
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].event(message["method"], message["params"])
            self.changed.notify_all()

    def call(self, method, params=None, session=None, timeout=30):
        with self.changed:
            self.number += 1
            number = self.number
        message = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        self.output.write(json.dumps(message).encode() + b"\0")
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers or self.is_closed, timeout * PATIENCE):
                raise BrowserError(f"{method} was not answered")
            if number not in self.answers:
                raise BrowserError("chromium has ended")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def page(self, **options):
        return Page(self, **options)

    def close(self):
        try:
            self.call("Browser.close", timeout=5)
        except (BrowserError, OSError):
            self.process.kill()
        self.process.wait()
        self.output.close()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """One tab, in a context of its own: without what others have stored."""

    def __init__(self, browser, width=1440, height=900, scale=1, dark=False, reduced_motion=False, contrast=False):
        self.browser = browser
        # What a page must not have: errors, warnings, broken policies.
        self.problems = []
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        self.target = browser.call("Target.createTarget", {"url": "about:blank", "browserContextId": self.context})["targetId"]
        self.session = browser.call("Target.attachToTarget", {"targetId": self.target, "flatten": True})["sessionId"]
        with browser.changed:
            browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", {"source": """
            globalThis.violations = [];
            document.addEventListener('securitypolicyviolation', (event) => violations.push(`${event.violatedDirective} ${event.blockedURI}`));
        """})
        self.resize(width, height, scale)
        self.appear(dark, reduced_motion, contrast)

    def call(self, method, params=None, timeout=30):
        return self.browser.call(method, params, self.session, timeout)

    def event(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(part.get("value", part.get("description"))) for part in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")

    def resize(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 700})

    def appear(self, dark=False, reduced_motion=False, contrast=False):
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"},
            {"name": "prefers-contrast", "value": "more" if contrast else "no-preference"},
        ]})

    def open(self, url):
        self.call("Page.navigate", {"url": url})
        self.wait("document.body?.classList.contains('ready')")

    def run(self, script):
        """The value of an expression, which may be a promise."""
        result = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def wait(self, script, timeout=15):
        """Until an expression is true, which it then gives back."""
        end = time.monotonic() + timeout * PATIENCE
        while True:
            value = self.run(f"((value) => value instanceof Node ? true : value)({script})")
            if value:
                return value
            if time.monotonic() > end:
                happened = self.run("document.querySelector('.log')?.innerText ?? ''")
                raise BrowserError(
                    f"never true: {script}; now {self.run(f'JSON.stringify({script})')}; what happened: {happened}")
            time.sleep(0.02)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def click(self, selector):
        """As a person does: where the element is on the screen."""
        place = self.run(f"""(() => {{
            const node = document.querySelector({json.dumps(selector)});
            if (!node) return null;
            node.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const box = node.getBoundingClientRect();
            const x = box.x + box.width / 2, y = box.y + box.height / 2;
            const hit = document.elementFromPoint(x, y);
            return {{x, y, isOnTop: node === hit || node.contains(hit), over: hit?.outerHTML.slice(0, 120)}};
        }})()""")
        if place is None:
            raise BrowserError(f"there is no {selector}")
        if not place["isOnTop"]:
            raise BrowserError(f"{selector} is under {place['over']}")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {"type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1})

    def press(self, key, code=0, text=None):
        """A key, for example press("Enter", 13, "\\r")."""
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
            if text and kind == "keyDown":
                event["text"] = text
            self.call("Input.dispatchKeyEvent", event)

    def screenshot(self, path, whole=False):
        params = {"format": "png"}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            params |= {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        data = self.call("Page.captureScreenshot", params)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        with self.browser.changed:
            self.browser.pages.pop(self.session, None)
        self.browser.call("Target.disposeBrowserContext", {"browserContextId": self.context})
