"""The page of device-lab in a real browser: what a person sees and does there."""

import time
import unittest

from browser import Browser
from page_fixture import PretendedPhones

# A wicket falls a few balls after this one: the hat-trick of the second innings.
BEFORE_A_WICKET = "S2 16.1"
# Of the first card on the Lock Screen.
SCORE = "document.querySelector('.la [data-role=score]')?.textContent"


def setUpModule():
    global chromium
    chromium = Browser()


def tearDownModule():
    chromium.close()


class PageTest(unittest.TestCase):
    options = ("--paused", "--at", BEFORE_A_WICKET)
    phones = 24

    @classmethod
    def setUpClass(cls):
        cls.server = PretendedPhones(*cls.options, phones=cls.phones)
        cls.addClassCleanup(cls.server.stop)

    def open(self, path="", **options):
        page = chromium.page(**options)
        self.addCleanup(page.close)
        page.open(self.server.url + path)
        self.pages = [*getattr(self, "pages", []), page]
        return page

    def tearDown(self):
        for page in getattr(self, "pages", []):
            self.assertEqual(page.problems, [])
            self.assertEqual(page.run("violations"), [])


class FollowTests(PageTest):
    options = ("--fresh", "--paused", "--at", BEFORE_A_WICKET)

    def test_follow_a_match_and_see_the_wicket_arrive(self):
        page = self.open("#phone-1")
        page.wait("document.querySelector('.follow-button')?.dataset.state === 'empty'")
        self.assertEqual(page.text(".ls-empty"), "Not following: tap the follow button")
        # No empty frames of what would be there.
        self.assertEqual(page.run("[...document.querySelectorAll('.surface')].filter((node) => node.getClientRects().length).length"), 1)
        page.click(".follow-button")
        page.wait("document.querySelector('.follow-button').dataset.state === 'filled'")
        page.wait(SCORE)
        before = page.run(SCORE)
        wickets = int(before.split("/")[1])
        page.wait("!document.querySelector('#tape button[aria-label=\"Next wicket\"]').disabled")
        page.click("#tape button[aria-label='Next wicket']")
        page.wait(f"{SCORE}.endsWith('/{wickets + 1}')")
        # As Apple shows an alert: the card lights up, the island grows, the Watch has its words.
        page.wait("document.querySelector('.la.lit')")
        self.assertTrue(page.run("document.querySelector('.ls-alert').hidden"))
        self.assertTrue(page.run("document.querySelector('.island.compact').hidden && !document.querySelector('.island.grown').hidden"))
        # No clock beside its round corners, as there is beside the small one.
        shown = "[...document.querySelectorAll('.phone-top .top-status')].map((node) => getComputedStyle(node).visibility)"
        self.assertEqual(page.run(shown), ["hidden", "hidden", "visible"])
        told = page.text(".watch-alert strong")
        self.assertTrue(told)
        self.assertTrue(page.run("document.querySelector('.iphone').classList.contains('buzzing')"))
        self.assertIn(told, page.text("#announcer"))
        after = page.run(SCORE)
        for place in (".island.grown", ".car", ".standby", ".card-match"):
            self.assertEqual(page.text(f"{place} [data-role=score]"), after)
        self.assertEqual(page.text(".tile[data-id='phone-1'] .tile-score"), after)
        self.assertEqual(page.run("[...document.querySelectorAll('.la [data-role=ball]')].at(-1).textContent"), "W")
        self.assertIn("RR v KKR", page.text(".card-match h3"))
        # After the alert the card is on the Watch again, and the island is small.
        page.wait("!document.querySelector('.la.lit') && !document.querySelector('.island.compact').hidden")
        self.assertEqual(page.text(".watch [data-role=score]"), after)
        # Somebody who does not follow it sees nothing.
        self.assertEqual(page.text(".tile[data-id='phone-2'] .tile-score"), "")

    def test_the_follow_button_tells_what_the_phone_can_do(self):
        page = self.open("#phone-3")

        def follow_button(state, pending=False):
            page.wait(f"document.querySelector('.follow-button').dataset.state === '{state}'")
            page.wait(f"document.querySelector('.follow-button').classList.contains('pending') === {str(pending).lower()}")

        follow_button("empty")
        self.assertEqual(page.run("document.querySelector('.follow-button').getAttribute('aria-pressed')"), "false")
        page.click(".toggle[aria-label='Live Activities']")
        page.wait("document.querySelector('.toggle[aria-label=\"Live Activities\"]').getAttribute('aria-checked') === 'false'")
        page.click(".follow-button")
        follow_button("filledWithWarning")
        page.wait("!document.querySelector('.follow-warning').hidden")
        self.assertEqual(page.text(".ls-empty"), "Live Activities are off in Settings")
        page.click(".toggle[aria-label='Live Activities']")
        follow_button("filled")
        page.wait("document.querySelector('.la')")
        page.click(".toggle[aria-label='Network']")
        page.wait("document.querySelector('.ls-carrier').textContent === 'No service'")
        page.click(".follow-button")
        follow_button("empty", pending=True)
        page.click(".toggle[aria-label='Network']")
        follow_button("empty")

    def test_everything_else_a_person_does(self):
        page = self.open("#phone-4")
        page.click(".follow-button")
        page.wait("document.querySelector('.la')")
        page.click(".la-dismiss")
        page.wait("!document.querySelector('.la')")
        page.wait("document.querySelector('.follow-button').dataset.state === 'empty'")

        def button(text):
            page.run(f"[...document.querySelectorAll('#controls .button')].find((node) => node.textContent === '{text}').id = 'wanted'")
            page.click("#wanted")
            page.run("document.getElementById('wanted').removeAttribute('id')")

        button("Kill app")
        page.wait("document.querySelector('#controls').textContent.includes('App is not running')")
        button("Open app")
        page.wait("document.querySelector('#controls').textContent.includes('App is open')")
        user = page.text(".phone-user")
        button("Switch user")
        page.wait(f"document.querySelector('.phone-user').textContent !== '{user}'")
        button("Reinstall app")
        page.wait("document.querySelector('.log').textContent.includes('installs the app anew')")
        self.assertTrue(page.run("[...document.querySelectorAll('#controls .button')].find((node) => node.textContent === 'Swipe activity away').disabled"))
        page.click(".toggle[aria-label='More frequent updates']")
        page.wait("document.querySelector('.toggle[aria-label=\"More frequent updates\"]').getAttribute('aria-checked') === 'false'")

    def test_all_phones_at_once(self):
        page = self.open("#phone-5")
        page.run("[...document.querySelectorAll('.wall .button')].find((node) => node.textContent === 'All follow').click()")
        page.wait(f"document.querySelectorAll('.tile[data-kind=fresh]').length === {self.phones}")
        page.run("[...document.querySelectorAll('.wall .button')].find((node) => node.textContent === 'All unfollow').click()")
        page.wait(f"document.querySelectorAll('.tile[data-kind=none]').length === {self.phones}")


class LookTests(PageTest):
    """What it looks like, as far as that can be told."""

    def test_light_and_dark_as_the_system_is_and_by_the_switch(self):
        page = self.open()
        paper = "getComputedStyle(document.body).backgroundColor"
        light = page.run(paper)
        page.appear(dark=True)
        dark = page.wait(f"{paper} !== '{light}' && {paper}")
        page.click("#theme button[aria-label='Light']")
        self.assertEqual(page.run(paper), light)
        page.call("Page.reload")
        page.wait("document.body?.classList.contains('ready')")
        self.assertEqual(page.run(paper), light)
        page.click("#theme button[aria-label='As the system']")
        self.assertEqual(page.run(paper), dark)
        page.click("#theme button[aria-label='Dark']")
        page.appear(dark=False)
        self.assertEqual(page.run(paper), dark)

    @staticmethod
    def widest(page):
        return page.run("""[...document.querySelectorAll('body *')]
            .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5)
            .map((node) => `${node.tagName}.${node.className?.baseVal ?? node.className} ${Math.round(node.getBoundingClientRect().right)}`).slice(0, 12)""")

    def test_no_window_scrolls_sideways(self):
        page = self.open()
        for width in (320, 390, 430, 600, 768, 1024, 1280, 1440, 1920):
            with self.subTest(width=width):
                page.resize(width, 844)
                self.assertLessEqual(page.run("document.scrollingElement.scrollWidth"), width, self.widest(page))
                wide = page.run("""[...document.querySelectorAll('main *, header *, footer *')]
                    .filter((node) => !node.closest('[popover]') && !node.closest('.screen, .phone-top, .standby, .watch, .car, .card-view, .log, .unseen, svg, .tape-slider, .menu'))
                    .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5 && getComputedStyle(node.parentElement).overflowX === 'visible')
                    .map((node) => `${node.tagName}.${node.className}`).slice(0, 5)""")
                self.assertEqual(wide, [])

    def test_texts_can_be_read_on_what_is_behind_them(self):
        script = """(() => {
            const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
            const rgba = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
            const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
            const found = [];
            for (const node of document.querySelectorAll('.top *, .card *, .wall-head *, .tape *, .phone-head *')) {
                if (![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()) || node.closest('.badge, .ball, option, [popover], :disabled, svg') || !node.getClientRects().length) continue;
                let behind = node;
                while (behind && rgba(getComputedStyle(behind).backgroundColor)[3] < 200) behind = behind.parentElement;
                const paper = behind ? getComputedStyle(behind).backgroundColor : 'white';
                const [a, b] = [light(rgba(getComputedStyle(node).color)), light(rgba(paper))].sort((x, y) => y - x);
                const contrast = (a + 0.05) / (b + 0.05);
                if (contrast < 4.5) found.push(`${node.className || node.tagName} ${node.textContent.slice(0, 20)} ${contrast.toFixed(2)}`);
            }
            return found;
        })()"""
        for dark in (False, True):
            with self.subTest(dark=dark):
                page = self.open(dark=dark, reduced_motion=True)
                page.wait("document.querySelector('.stage')")
                self.assertEqual(page.run(script), [])

    def test_every_control_has_a_name_and_can_be_touched(self):
        page = self.open(width=390, height=844)
        nodes = page.call("Accessibility.getFullAXTree")["nodes"]
        controls = [node for node in nodes if not node.get("ignored") and node.get("role", {}).get("value") in
                    ("button", "switch", "slider", "combobox", "option", "radio", "listbox", "link")]
        self.assertGreater(len(controls), 40)
        nameless = [node["role"]["value"] for node in controls if not node.get("name", {}).get("value")]
        self.assertEqual(nameless, [])
        small = page.run("""[...document.querySelectorAll('button, select, input')]
            .filter((node) => node.getClientRects().length && !node.closest('.la'))
            .filter((node) => { const box = node.getBoundingClientRect(); return Math.min(box.width, box.height) < 24; })
            .map((node) => node.outerHTML.slice(0, 80))""")
        self.assertEqual(small, [])

    def test_the_keyboard_goes_everywhere(self):
        page = self.open("#phone-1")
        reached = set()
        for _ in range(60):
            page.press("Tab", 9)
            reached.add(page.run("document.activeElement.closest('section, header, footer')?.id || document.activeElement.closest('section, header, footer')?.className || document.activeElement.className"))
        self.assertLessEqual({"skip", "top", "phone", "controls", "wall", "tape"}, reached)
        page.run("document.querySelector('.tile[data-id=\"phone-1\"]').focus()")
        page.press("ArrowRight", 39)
        page.wait("document.querySelector('.phone-name').textContent.startsWith('Ravi')")
        self.assertEqual(page.run("document.activeElement.dataset.id"), "phone-2")
        page.press("End", 35)
        page.wait("document.querySelector('.tile[aria-selected=true]').dataset.id === 'phone-24'")
        # The follow button is that phone's, and not still the one before's.
        page.wait("!document.querySelector('.phone-name').textContent.startsWith('Ravi')")
        page.run("document.querySelector('.follow-button').focus()")
        page.press("Enter", 13, "\r")
        page.wait("document.querySelector('.follow-button').dataset.state === 'empty'")

    def test_the_phone_in_the_address_is_shown_again(self):
        page = self.open("#phone-7")
        page.wait("document.querySelector('.tile[aria-selected=true]').dataset.id === 'phone-7'")
        name = page.text(".phone-name")
        page.click(".phone-head button[aria-label='Next phone']")
        page.wait(f"document.querySelector('.phone-name').textContent !== '{name}'")
        self.assertTrue(page.run("location.hash === '#phone-8'"))
        page.call("Page.reload")
        page.wait("document.body?.classList.contains('ready')")
        page.wait("document.querySelector('.tile[aria-selected=true]').dataset.id === 'phone-8'")


class PlayTests(PageTest):
    options = ("--at", "S2 4.1", "--speed", "40")
    phones = 300

    def test_scores_change_without_moving_anything(self):
        page = self.open(height=1100)
        page.wait("document.querySelectorAll('.tile[data-kind=fresh]').length > 10")
        time.sleep(1.5)
        page.run("""globalThis.moved = []; new PerformanceObserver((all) => all.getEntries().forEach((entry) => moved.push([entry.value, entry.sources.map((source) => source.node?.className ?? source.node?.nodeName).join()])))
            .observe({type: 'layout-shift'})""")
        first = page.text(".tape-total")
        page.wait(f"document.querySelector('.tape-total').textContent !== '{first}'")
        time.sleep(5)
        moved = page.run("moved")
        self.assertLess(sum(value for value, _ in moved), 0.03, moved)

    def test_three_hundred_phones_are_light(self):
        page = self.open()
        page.wait("document.querySelectorAll('.tile').length === 300")
        self.assertLess(page.run("document.querySelectorAll('*').length"), 3000)
        before = page.call("Performance.enable") or page.call("Performance.getMetrics")["metrics"]
        time.sleep(4)
        after = page.call("Performance.getMetrics")["metrics"]
        busy = lambda metrics: {entry["name"]: entry["value"] for entry in metrics}["ScriptDuration"]
        self.assertLess(busy(after) - busy(before), 1.2, "seconds of script in four seconds")

    def test_latency_and_stages_come_alive(self):
        page = self.open()
        page.wait("document.querySelector('.latency dd').textContent.endsWith(' s')")
        page.wait("document.querySelectorAll('.stage[data-health=ready]').length === 8")
        page.wait("document.querySelector('.stage.moving')")
        page.wait("[...document.querySelectorAll('.tallies b')].every((node) => node.textContent !== '')")

    def test_less_motion_where_it_is_asked_for(self):
        page = self.open(reduced_motion=True)
        page.wait("!document.querySelector('#tape button[aria-label=\"Next wicket\"]').disabled")
        page.click("#tape button[aria-label='Next wicket']")
        page.wait("document.querySelector('.la.lit')")
        self.assertEqual(page.run("document.getAnimations().length"), 0)

    def test_the_tape_obeys(self):
        page = self.open()
        page.click("#tape button[aria-label='Pause']")
        page.wait("document.querySelector('#tape button[aria-label=Play]')")
        time.sleep(0.5)
        words = page.text(".tape-words")
        time.sleep(1.5)
        self.assertEqual(page.text(".tape-words"), words)
        page.click("#tape button[aria-label='Next ball']")
        page.wait(f"document.querySelector('.tape-words').textContent !== {words!r}")
        self.assertGreater(page.run("document.querySelectorAll('.ticks [data-kind=wicket]').length"), 10)
        self.assertEqual(page.run("document.querySelectorAll('.ticks [data-kind=innings]').length"), 2)
        page.run("document.querySelector('#tape input').focus()")
        page.press("Home", 36)
        page.wait("document.querySelector('.tape-where').textContent === 'NS'")
        page.wait("document.querySelector('.card-match .match-ball').textContent === ''")
        page.run("""(() => { const select = document.querySelector('select[aria-label=Speed]'); select.value = '100'; select.dispatchEvent(new Event('change')); })()""")
        page.click("#tape button[aria-label='Play']")
        page.wait("document.querySelector('.tape-where').textContent === '1st innings'", 30)
        page.click("#tape button[popovertarget='faults']")
        page.wait("document.querySelector('#faults').matches(':popover-open')")
        page.click("#faults button:nth-of-type(4)")
        page.wait("document.querySelector('.toast')?.textContent.startsWith('Asked for: Provider never answers')")
        page.wait("document.querySelector('#tape .badge-count').textContent === '1'")
        # What it does is to be seen: the menu has gone.
        self.assertFalse(page.run("document.querySelector('#faults').matches(':popover-open')"))
        page.click("#tape button[popovertarget='faults']")
        page.click("#faults .menu-last")
        page.wait("document.querySelector('#tape .badge-count').hidden")
        page.press("Escape", 27)
        page.wait("!document.querySelector('#faults').matches(':popover-open')")
        page.click("#tape button[popovertarget='tapes']")
        page.wait("document.querySelectorAll('#tapes .menu-list button').length === 14")


class CardTests(PageTest):
    """What is drawn is what was laid out."""

    options = ("--paused", "--at", "S2 18.3")

    def test_no_text_is_wider_than_the_room_that_was_kept_for_it(self):
        page = self.open("#phone-1")
        page.wait(SCORE)
        wide = page.run("""[...document.querySelectorAll('.card-view:not([hidden]) .card-piece')].filter((node) => node.getClientRects().length).map((node) => {
            const range = document.createRange();
            range.selectNodeContents(node);
            const scale = node.closest('.card-view').getBoundingClientRect().width / parseFloat(getComputedStyle(node.closest('.card-view')).width);
            const points = parseFloat(getComputedStyle(node).fontSize) / parseFloat(node.style.fontSize.slice(5)) * scale;
            return [node.textContent, range.getBoundingClientRect().width / points, Number(node.dataset.width)];
        }).filter(([, drawn, kept]) => drawn > kept + 0.5)""")
        self.assertEqual(wide, [])

    def test_both_batters_are_on_the_expanded_island_and_one_is_marked(self):
        page = self.open("#phone-1")
        page.wait(SCORE)
        self.assertEqual(page.run("document.querySelectorAll('.island.expanded:not(.grown) [data-role=batter]').length"), 4)
        self.assertEqual(page.run("document.querySelectorAll('.island.expanded:not(.grown) [data-role=striker]').length"), 1)

    def test_a_match_whose_state_leaves_the_title_out_has_that_of_its_tape(self):
        page = self.open()
        title = page.run("""import('./match.js').then(({ matchCard }) => {
            const root = document.createElement('div');
            const content = { expanded: { title: '', subtitle: 'IPL', innings: [] }, compactTrailing: { overs: '0.0' } };
            matchCard(root).show({ title: 'RR v KKR', version: 1, content }, null, null);
            return root.querySelector('h3').textContent;
        })""")
        self.assertEqual(title, "RR v KKR")

    def test_the_ball_stands_where_the_version_stood(self):
        page = self.open("#phone-1")
        page.wait(SCORE)
        page.wait("/^[0-9]+[.][0-9]$/.test(document.querySelector('.match-ball').textContent)")
        page.click("#tape button[aria-label='Next ball']")
        page.wait("document.querySelector('.log').textContent.includes('Ball ')")
        self.assertNotIn("ersion", page.text(".log"))

    def test_dark_and_contrast_have_colours_of_their_own(self):
        page = self.open("#phone-1")
        page.wait(SCORE)
        paper = "getComputedStyle(document.querySelector('.la .card-view')).backgroundColor"
        seen = {page.run(paper)}
        for features in ({"dark": True}, {"contrast": True}, {"dark": True, "contrast": True}):
            page.appear(**features)
            page.wait(f"!{list(seen)!r}.includes({paper})")
            seen.add(page.run(paper))
        self.assertEqual(len(seen), 4)

    def test_a_tape_that_is_chosen_gets_a_follower(self):
        page = self.open("#phone-1")
        page.wait(SCORE)
        self.assertTrue(page.run("document.querySelector('.truth').textContent.includes('real iPhone may differ')"))
        page.click("#tape button[popovertarget='tapes']")
        page.wait("document.querySelectorAll('#tapes .menu-list button').length > 3")
        page.run("[...document.querySelectorAll('#tapes .menu-list button')].find((node) => !node.textContent.includes('1304076')).click()")
        page.wait("document.querySelector('.toast')?.textContent.includes('follows it as soon as')")


class TroubleTests(PageTest):
    options = ("--paused", "--at", BEFORE_A_WICKET, "--stale", "--two")

    def test_the_stale_view(self):
        page = self.open("#phone-2")
        page.wait("document.querySelector('.la')?.dataset.state === 'stale'")
        self.assertEqual(page.text(".la [data-role=wait]"), "Waiting for an update")
        self.assertEqual(page.run("document.querySelector('.tile[data-id=\"phone-2\"]').dataset.kind"), "stale")
        # After an alert that it may still show.
        page.wait("document.querySelector('.watch [data-role=wait]')?.textContent === 'Waiting for an update'")

    def test_two_matches_share_the_island(self):
        page = self.open("#phone-1")
        page.wait("document.querySelectorAll('.la').length === 2")
        self.assertIn(page.text(".island.circle [data-role=team]"), page.run("document.querySelectorAll('.la')[1].textContent"))
        self.assertIn(page.text(".island.compact [data-role=team]"), page.text(".la"))
        self.assertEqual(page.run("document.querySelectorAll('.follow-button').length"), 2)

    def test_a_refusal_is_told(self):
        page = self.open("#phone-3")
        page.run("fetch('api/phones/phone-3/actions', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{\"action\":\"dismiss\",\"matchId\":\"7\"}'}).then((answer) => { globalThis.answered = answer.status; })")
        page.wait("globalThis.answered === 409")
        # The browser itself notes every answer that is an error.
        page.problems.clear()


class RestartTests(unittest.TestCase):
    def test_the_page_comes_back_with_the_lab(self):
        server = PretendedPhones("--paused", "--at", BEFORE_A_WICKET, phones=6)
        page = chromium.page()
        try:
            page.open(server.url)
            page.wait("document.querySelector('.link').dataset.up === 'true'")
            server.stop()
            page.wait("document.querySelector('.link').dataset.up === 'false'")
            server = PretendedPhones("--paused", "--at", BEFORE_A_WICKET, phones=9, port=server.port)
            page.wait("document.querySelector('.link').dataset.up === 'true'", 30)
            page.wait("document.querySelectorAll('.tile').length === 9")
            self.assertEqual(page.run("violations"), [])
            thrown = [problem for problem in page.problems if "ERR_" not in problem]
            self.assertEqual(thrown, [])
        finally:
            page.close()
            server.stop()


class HostileTests(PageTest):
    """Names come from outside: whatever is in them is shown, and nothing else happens."""

    options = ("--hostile", "--two", "--at", BEFORE_A_WICKET, "--speed", "40")

    def test_hostile_names_stay_text(self):
        page = self.open("#phone-1", height=1200)
        page.wait("document.querySelector('.la')")
        page.wait("!document.querySelector('#tape button[aria-label=\"Next wicket\"]').disabled")
        page.click("#tape button[aria-label='Next wicket']")
        page.wait("document.querySelector('.la.lit')")
        hostile = """<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>"""
        # A card has as much of it as there is room for; the island is large while the alert lasts.
        begins = "document.querySelector('{}')?.textContent.startsWith('<img src=x')"
        page.wait(begins.format(".island.grown [data-role=heading]"))
        for selector in (".match-subtitle", ".card-match h3", ".watch-alert strong", ".phone-name", ".tile-name", ".follow-title"):
            with self.subTest(selector=selector):
                page.wait(f"document.querySelector('{selector}')?.textContent.includes({hostile!r})")
        for selector in (".la [data-role=heading]", ".la [data-role=lastEvent]"):
            with self.subTest(selector=selector):
                page.wait(begins.format(selector))
        time.sleep(1)
        self.assertEqual(page.run("document.title"), "Sightscreen device lab")
        self.assertEqual(page.run("document.querySelectorAll('body img, body script, b:not(.figures):not(.stage-counts b)').length"), 0)
        for width in (390, 1440):
            page.resize(width, 844)
            self.assertLessEqual(page.run("document.scrollingElement.scrollWidth"), width)


if __name__ == "__main__":
    unittest.main()
