#!/usr/bin/env python3
"""Takes the pictures of the card that deploy/docs show, on page-stand: cards.py FOLDER [NAME …]."""

import base64
import pathlib
import sys
import time

from browser import Browser
from stand import Stand

# What is pictured: the match, and where its tape stands. No fixture has drinks: those are said so.
STAGES = (
    ("before-play", "1304076", "NS"),
    ("first-ball", "1304076", "S1 0.1"),
    ("wicket", "1304076", "S2 16.1"),
    ("hundred", "1304076", "S1 16.2"),
    ("drinks", "1384429", "S1 16.6", "Drinks"),
    ("rain", "501255", "Int."),
    ("innings-break", "1304076", "Innings Break"),
    ("close-chase", "1304076", "S2 19.2"),
    ("last-ball", "1304066", "S2 19.6"),
    ("result", "1304076", "Finished"),
    ("abandoned", "1178424", "Finished"),
    ("test-stumps", "426416", "Stump Day 2"),
    ("super-over", "1216517", "S4 0.5"),
)
# Of these the other appearances, too.
ALSO = {"wicket", "close-chase", "result"}
LOOKS = (("", {}), ("-dark", {"dark": True}), ("-contrast", {"contrast": True}))


def take(page, path):
    """The Lock Screen's card, and beside it every other presentation, on a quiet ground."""
    page.run("""(() => {
        document.body.classList.add('picture');
        for (const selector of ['.la .la-dismiss', '.tape', '.toasts']) for (const node of document.querySelectorAll(selector)) node.style.display = 'none';
    })()""")
    box = page.run("""(() => {
        const boxes = [...document.querySelectorAll('#phone, #surfaces')].map((node) => node.getBoundingClientRect());
        const left = Math.min(...boxes.map((box) => box.left)) - 12, top = Math.min(...boxes.map((box) => box.top)) - 8;
        return {x: left + scrollX, y: top + scrollY, width: Math.max(...boxes.map((box) => box.right)) + 12 - left,
                height: Math.max(...[...document.querySelectorAll('.iphone, .standby')].map((node) => node.getBoundingClientRect().bottom)) + 34 - top, scale: 1};
    })()""")
    data = page.call("Page.captureScreenshot", {"format": "jpeg", "quality": 84, "captureBeyondViewport": True, "clip": box})["data"]
    path.write_bytes(base64.b64decode(data))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = set(sys.argv[2:])
    chromium = Browser()
    try:
        for name, match, label, *status in STAGES:
            if wanted and name not in wanted:
                continue
            stand = Stand("--paused", "--at", label, "--match", match, *(["--status", *status] if status else []), phones=1)
            try:
                for look, options in LOOKS if name in ALSO else LOOKS[:1]:
                    page = chromium.page(width=1100, height=960, reduced_motion=True, **options)
                    page.open(stand.url + "#phone-1")
                    page.wait("document.querySelector('.la .card-view')?.textContent", 60)
                    # An alert has had its time.
                    time.sleep(0.5)
                    page.wait("!document.querySelector('.la.lit')", 20)
                    take(page, folder / f"card-{name}{look}.jpg")
                    page.close()
            finally:
                stand.stop()
    finally:
        chromium.close()


if __name__ == "__main__":
    main()
