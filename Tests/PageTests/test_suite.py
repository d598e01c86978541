"""The page on real phones: the app's own code, the real executables, and only the outside world made up."""

import unittest

from page_fixture import SuiteTestCase

# Pushes go through five processes, on a machine that has other things to do.
PATIENCE = 30


class WholeSuiteTests(SuiteTestCase):
    @classmethod
    def setUpClass(cls):
        cls.start(speed=10, phones=20)

    def test_follow_a_match_and_see_the_wicket_arrive(self):
        # The fifth of ten iPhones follows nothing at first; the others got their activity by a push.
        others = self.open("#phone-1")
        others.wait("document.querySelector('.la [data-role=score]')?.textContent", PATIENCE)
        self.assertEqual(others.run("document.querySelector('.follow-button').dataset.state"), "filled")
        page = self.open("#phone-5")
        page.wait("document.querySelector('.follow-button')?.dataset.state === 'empty'", PATIENCE)
        self.assertEqual(page.text(".ls-empty"), "Not following: tap the follow button")
        page.click(".follow-button")
        page.wait("document.querySelector('.follow-button').dataset.state === 'filled'", PATIENCE)
        page.wait("!document.querySelector('.follow-button').classList.contains('pending')", PATIENCE)
        page.wait("document.querySelector('.la [data-role=score]')?.textContent", PATIENCE)
        self.assertIn("RR", page.text(".la"))
        # The app has shown it by itself; pushes come once the backend has its token.
        page.wait("document.querySelector('.log').textContent.includes('Ball ')", PATIENCE)
        before = int(page.text(".la [data-role=score]").split("/")[1])
        page.wait("!document.querySelector('#tape button[aria-label=\"Next wicket\"]').disabled")
        page.click("#tape button[aria-label='Next wicket']")
        page.wait(
            f"Number(document.querySelector('.la [data-role=score]').textContent.split('/')[1]) > {before}", PATIENCE)
        page.wait("document.querySelector('.la.lit')", PATIENCE)
        self.assertTrue(page.text(".watch-alert strong"))
        after = page.text(".la [data-role=score]")
        self.assertIn("/", after)
        others.wait(f"document.querySelector('.la [data-role=score]').textContent.includes('/{before + 1}')", PATIENCE)
        # Off with it, and the activity is gone.
        page.click(".follow-button")
        page.wait("document.querySelector('.follow-button').dataset.state === 'empty'", PATIENCE)
        page.wait("!document.querySelector('.la')", PATIENCE)
        self.assertEqual(page.problems, [])

    def test_a_phone_that_was_away_is_right_again(self):
        page = self.open("#phone-2")
        page.wait("document.querySelector('.la [data-role=score]')?.textContent", PATIENCE)
        page.click("button[aria-label='Network']")
        page.wait("document.querySelector('.log').textContent.includes('Flight mode')", PATIENCE)
        tile = "document.querySelector('.tile[data-id=\"phone-{}\"] .tile-score').textContent"
        before = page.run(tile.format(2))
        page.wait("!document.querySelector('#tape button[aria-label=\"Next wicket\"]').disabled")
        page.click("#tape button[aria-label='Next wicket']")
        page.wait(f"{tile.format(1)} !== {before!r}", PATIENCE)
        self.assertEqual(page.run(tile.format(2)), before)
        page.click("button[aria-label='Network']")
        page.wait(f"{tile.format(2)} !== {before!r} && {tile.format(2)} === {tile.format(1)}", PATIENCE)
        self.assertEqual(page.problems, [])


if __name__ == "__main__":
    unittest.main()
