"""The phones of a random-fault run: one that was restarted says so until it has a card again."""

import threading
import time
import types
import unittest

from good import T, call, good

import chaos_draw
import chaos_phones
from chaos_records import Push, Shown


class RestartedPhone(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, chaos_phones, "OPENS_EVERY", chaos_phones.OPENS_EVERY)
        chaos_phones.OPENS_EVERY = 0.02
        case = good()
        suite = types.SimpleNamespace(
            bearer=lambda user: "bearer", simulator=types.SimpleNamespace(register=lambda tokens, kind: None))
        plans = [chaos_draw.PhonePlan(user=user, number=0) for user in range(2)]
        self.fleet = chaos_phones.Fleet(suite, types.SimpleNamespace(seed=1, phones=plans), 1)
        self.addCleanup(self.fleet.close)
        self.fleet.users, self.fleet.phones = ["ann", "bob"], case.phones
        self.fleet.device_tokens = {phone.device: f"device of {phone.user}" for phone in case.phones}
        self.fleet.by_device_token = {"device of ann": 0, "device of bob": 1}
        self.fleet.send = lambda index, what, method, path, body, value: self.reports.append(body) or {}
        self.reports = []
        self.ann = case.phones[0]
        self.ann.activities[0].ended_ms = T
        self.fleet.woken[0] = threading.Event()

    def come_back(self):
        thread = threading.Thread(target=self.fleet.come_back, args=(0, T // 1_000 + 1), daemon=True)
        thread.start()
        return thread

    def reported(self, count):
        deadline = time.monotonic() + 5
        while len(self.reports) < count and time.monotonic() < deadline:
            time.sleep(0.005)
        self.assertGreaterEqual(len(self.reports), count)

    def ends(self, thread):
        thread.join(5)
        self.assertFalse(thread.is_alive())

    def test_it_reports_until_a_new_card_is_registered(self):
        thread = self.come_back()
        self.reported(3)
        self.assertEqual(self.reports[0], {
            "deviceId": "ann-phone", "platform": "ios", "deviceToken": "device of ann", "bootedAt": T // 1_000 + 1,
            "activities": []})
        self.ann.activities.append(Shown("ann-2", "t", T + 1_000))
        seen = len(self.reports)
        self.reported(seen + 2)
        self.assertEqual(self.reports[-1]["activities"], [{"matchId": "1", "activityId": "ann-2", "startId": "t"}])
        self.ann.activities[1].registered_ms = T + 2_000
        self.ends(thread)

    def test_a_silent_push_wakes_it_and_no_other(self):
        chaos_phones.OPENS_EVERY = 60
        thread = self.come_back()
        for token, kind, verdict in (
                ("device of bob", "background", "handled"), ("device of ann", "alert", "handled"),
                ("device of ann", "background", None)):
            self.fleet.receive(Push(T, token, None, kind=kind, verdict=verdict))
        time.sleep(0.05)
        # A schedule does not wait for it.
        self.assertEqual((self.reports, self.fleet.is_idle), ([], True))
        self.fleet.receive(Push(T, "device of ann", None, kind="background"))
        self.reported(1)
        self.fleet.close()
        self.ends(thread)

    def test_who_signs_in_is_asked_and_echoes(self):
        self.addCleanup(setattr, chaos_phones, "REGISTERS_EVERY", chaos_phones.REGISTERS_EVERY)
        chaos_phones.REGISTERS_EVERY = 0.01
        sent = []

        def send(index, what, method, path, body, value):
            sent.append((what, self.fleet.signed_in[index]))
            return {"waitsFor": "confirmation"} if what == "device" and ("confirm", 1) not in sent else {"deviceId": "x"}

        self.fleet.send, self.fleet.signed_in[0] = send, 1
        proof = []
        thread = threading.Thread(target=lambda: proof.append(self.fleet.prove(0)), daemon=True)
        thread.start()
        time.sleep(0.05)
        self.fleet.receive(Push(T, "device of ann", None, kind="background", nonce="n"))
        self.ends(thread)
        self.assertEqual(proof, [True])
        self.assertEqual(sent[-1], ("startToken", 1))

    def test_an_unfollow_ends_it(self):
        for what, status in (("unfollow", 200), ("dismiss", 200), ("report", 404)):
            thread = self.come_back()
            self.reported(1)
            self.fleet.calls = [call("ann", what, T, status=status)]
            self.ends(thread)
            self.fleet.calls, self.reports = [], []


if __name__ == "__main__":
    unittest.main()
