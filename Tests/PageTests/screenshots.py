#!/usr/bin/env python3
"""Takes the pictures of the page that README and deploy/docs show, of the whole suite at work: screenshots.py FOLDER."""

import json
import pathlib
import sys
import time
import urllib.request

from browser import Browser
from page_fixture import WholeSuite

# Some balls before the hat-trick, and in it: what is measured is play, and not that the tape was wound.
PLACE, PICTURED = "S2 14.1", "(16.5)"
PICTURES = (
    ("device-lab", {"width": 1440, "height": 900}),
    ("device-lab-dark", {"width": 1440, "height": 900, "dark": True}),
    ("device-lab-phone", {"width": 390, "height": 844}),
)


def command(suite, **body):
    request = urllib.request.Request(
        f"{suite.url}api/tape", json.dumps(body).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chromium = Browser()
    suite = WholeSuite(speed=20, phones=200).__enter__()
    try:
        first = chromium.page()
        first.open(suite.url + "#phone-1")
        first.wait("document.querySelector('.la [data-role=score]')?.textContent", 60)
        command(suite, command="seek", label=PLACE)
        first.wait(f"document.querySelector('.la')?.textContent.includes('{PICTURED}')", 120)
        first.close()
        command(suite, command="pause")
        for name, options in PICTURES:
            page = chromium.page(**options)
            page.open(suite.url + "#phone-1")
            command(suite, command="step")
            page.wait("document.querySelector('.latency dd').textContent.endsWith(' s')", 60)
            time.sleep(2)
            page.screenshot(folder / f"{name}.png")
            page.close()
    finally:
        suite.__exit__()
        chromium.close()


if __name__ == "__main__":
    main()
