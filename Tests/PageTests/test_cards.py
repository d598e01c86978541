"""The pictures of the card that deploy/docs show, made on page-harness. PICTURES=FOLDER keeps them there."""

import base64
import json
import os
import pathlib
import tempfile
import time
import unittest

from browser import Browser
from page_fixture import TESTS, PretendedPhones

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
# One answer without a winner tells no phone that it is the end: the tape plays on to the next, until the card says this.
PLAYED_ON = {"abandoned": "No result"}
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


class CardPictures(unittest.TestCase):
    SHOWN = TESTS.parent / "deploy/docs/images"

    @classmethod
    def setUpClass(cls):
        cls.chromium = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.chromium.close()

    def test_each_stage_of_a_match_is_pictured(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(os.environ.get("PICTURES", scratch))
            folder.mkdir(parents=True, exist_ok=True)
            made = set()
            for name, match, label, *status in STAGES:
                with self.subTest(name):
                    made |= self.pictures(folder, name, match, label, status)
            self.assertEqual(made, {path.name for path in self.SHOWN.glob("card-*.jpg")})

    def test_the_pages_pictures_are_few_and_small(self):
        pictures = list(self.SHOWN.iterdir())
        self.assertLessEqual(len(pictures), 30)
        self.assertLessEqual(sum(picture.stat().st_size for picture in pictures), 3_000_000)

    def pictures(self, folder, name, match, label, status):
        made = set()
        options = [*([] if name in PLAYED_ON else ["--paused"]), "--at", label, "--match", match, *(["--status", *status] if status else [])]
        phones = PretendedPhones(*options, phones=1)
        try:
            for look, appearance in LOOKS if name in ALSO else LOOKS[:1]:
                page = self.chromium.page(width=1100, height=960, reduced_motion=True, **appearance)
                page.open(phones.url + "#phone-1")
                page.wait("document.querySelector('.la .card-view')?.textContent", 60)
                page.wait(f"document.querySelector('.la .card-view').textContent.includes({json.dumps(PLAYED_ON.get(name, ''))})", 60)
                # An alert has had its time.
                time.sleep(0.5)
                page.wait("!document.querySelector('.la.lit')", 20)
                path = folder / f"card-{name}{look}.jpg"
                take(page, path)
                page.close()
                self.assertGreater(path.stat().st_size, 20_000)
                made.add(path.name)
        finally:
            phones.stop()
        return made


if __name__ == "__main__":
    unittest.main()
