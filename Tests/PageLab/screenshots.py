#!/usr/bin/env python3
"""Takes the pictures of the page that README and deploy/docs show, of the whole suite at work: screenshots.py FOLDER."""

import json
import pathlib
import sys
import time
import urllib.request

from browser import Browser
from suite import Suite

# In the over of the hat-trick.
PLACE = "S2 16.3"
PICTURES = (
    ("device-lab", {"width": 1440, "height": 900}),
    ("device-lab-dark", {"width": 1440, "height": 900, "dark": True}),
    ("device-lab-phone", {"width": 390, "height": 844, "scale": 2}),
)


def command(suite, **body):
    request = urllib.request.Request(
        f"{suite.url}api/tape", json.dumps(body).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chromium = Browser()
    suite = Suite("--speed", "20", phones=200)
    try:
        first = chromium.page()
        first.open(suite.url + "#phone-1")
        first.wait("document.querySelector('.la .score.now .runs')?.textContent", 60)
        first.close()
        command(suite, command="seek", label=PLACE)
        time.sleep(10)
        for name, options in PICTURES:
            page = chromium.page(**options)
            page.open(suite.url + "#phone-1")
            page.wait("document.querySelector('.latency dd').textContent.endsWith(' s')", 60)
            time.sleep(2)
            page.screenshot(folder / f"{name}.png")
            page.close()
    finally:
        suite.stop()
        chromium.close()


if __name__ == "__main__":
    main()
