"""The page where a match has broadcast channels: a phone goes from a channel to a token and back, in the whole suite."""

import unittest

from page_fixture import SuiteTestCase

# Pushes go through five processes, on a machine that has other things to do.
PATIENCE = 30
SCORE = "document.querySelector('.la [data-role=score]')?.textContent"
WAY = "document.querySelector('.follow-state').textContent"
CHANNEL, TOKEN = "Following · card on a channel", "Following · card on its own token"


class ChannelTests(SuiteTestCase):
    @classmethod
    def setUpClass(cls):
        # Five follow with all alerts, which is worth a channel; one alone with another level is not.
        cls.start(speed=20, phones=6, settings={"BROADCAST": "auto", "CHANNEL_MIN_FOLLOWERS": "3"})

    def see_a_wicket(self, page):
        before = int(page.run(SCORE).split("/")[1])
        page.wait("!document.querySelector('#tape button[aria-label=\"Next wicket\"]').disabled")
        page.click("#tape button[aria-label='Next wicket']")
        page.wait(f"Number({SCORE}.split('/')[1]) > {before}", PATIENCE)

    def wait_for_way(self, page, way, listening):
        """The card of the watched phone is reached by it, and so many phones listen to the channel."""
        page.wait(f"{WAY} === {way!r}", PATIENCE)
        page.wait("document.querySelectorAll('.la').length === 1", PATIENCE)
        page.wait(f"parseInt(document.querySelector('.channel-phones')?.textContent) === {listening}", PATIENCE)
        on_channel = str(way == CHANNEL).lower()
        page.wait(f"document.querySelector('.tile[data-id=phone-5]').classList.contains('on-channel') === {on_channel}")

    def test_a_phone_goes_from_a_channel_to_a_token_and_back(self):
        # The fifth of ten iPhones follows nothing at first.
        page = self.open("#phone-5", width=390, height=844)
        page.wait("document.querySelector('.follow-button')?.dataset.state === 'empty'", PATIENCE)
        page.wait("document.querySelector('.card-match [data-role=score]')?.textContent", PATIENCE)
        page.wait("[...document.querySelectorAll('.tile-score')].filter((score) => score.textContent).length === 5", PATIENCE)
        page.wait(r"/^All alerts\n[1-9][0-9]* published · [0-9]+ of 12 a minute$/.test(document.querySelector('.channels li > div')?.innerText)", PATIENCE)
        # All five, unless the channel was not made within the five seconds for which a start waits.
        others = int(page.text(".channel-phones").split()[0])
        self.assertTrue(page.run("document.querySelector('.follow-alerts').hidden"))
        page.click(".follow-button")
        self.wait_for_way(page, CHANNEL, others + 1)
        self.see_a_wicket(page)
        page.click(".follow-alerts [data-name=key]")
        self.wait_for_way(page, TOKEN, others)
        self.assertEqual(page.text(".follow-alerts [aria-checked=true]"), "Key moments")
        page.wait("document.querySelector('.log').textContent.includes('Ball ')", PATIENCE)
        self.see_a_wicket(page)
        # A card with a token keeps it when its user wants other alerts: a new follow makes another card.
        page.click(".follow-button")
        page.wait("document.querySelector('.follow-button').dataset.state === 'empty'", PATIENCE)
        page.wait("!document.querySelector('.la')", PATIENCE)
        page.click(".follow-button")
        self.wait_for_way(page, CHANNEL, others + 1)
        self.assertEqual(page.text(".follow-alerts [aria-checked=true]"), "All")
        # Nothing is kept for a phone without a network; the next publish makes it right.
        page.click("button[aria-label='Network']")
        page.wait("document.querySelector('.log').textContent.includes('Flight mode')", PATIENCE)
        page.click("#tape button[aria-label='Next wicket']")
        page.wait("document.querySelector('.log').textContent.includes('it was not to be kept')", PATIENCE)
        before = page.run(SCORE)
        page.wait(f"document.querySelector('.card-match [data-role=score]').textContent !== {before!r}", PATIENCE)
        self.assertEqual(page.run(SCORE), before)
        page.click("button[aria-label='Network']")
        page.wait(f"{SCORE} !== {before!r}", PATIENCE)
        self.assertLessEqual(page.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual(page.problems, [])


if __name__ == "__main__":
    unittest.main()
