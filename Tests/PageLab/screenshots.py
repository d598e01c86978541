#!/usr/bin/env python3
"""Takes pictures of the page, for its documentation: screenshots.py FOLDER."""

import pathlib
import sys
import time

from browser import Browser
from stand import Stand


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chromium = Browser()
    stand = Stand("--at", "S2 16.4", "--speed", "40", "--stale", "--two", phones=200)
    try:
        for name, options, path in (
            ("device-lab-light", {"width": 1440, "height": 900}, "#phone-6"),
            ("device-lab-dark", {"width": 1440, "height": 900, "dark": True}, "#phone-6"),
            ("device-lab-phone", {"width": 390, "height": 844, "scale": 2}, "#phone-6"),
            ("device-lab-two", {"width": 1440, "height": 900}, "#phone-1"),
            ("device-lab-wide", {"width": 1920, "height": 1080, "dark": True}, "#phone-6"),
            ("device-lab-tablet", {"width": 1024, "height": 1366}, "#phone-6"),
        ):
            page = chromium.page(**options)
            page.open(stand.url + path)
            page.wait("document.querySelector('.latency dd').textContent.endsWith(' s')", 30)
            time.sleep(2)
            page.screenshot(folder / f"{name}.png")
            page.screenshot(folder / f"{name}-whole.png", whole=True)
            page.close()
    finally:
        stand.stop()
        chromium.close()


if __name__ == "__main__":
    main()
