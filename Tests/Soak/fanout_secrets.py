"""The goal of `deploy/soak fanout` about push tokens that are encrypted, and whose key changes, while an alert is told."""

import base64
import os
import subprocess
import threading
import time

from fanout_alerts import CLAIMED_SECONDS, Round, Verdict, check_round, finish, last_version, pace, settings
from fanout_fixture import CLAIMED, THREADS, FanOut
from harness import say


def secrets(options, dice):
    """The tokens' key changes while the coordinator is killed just before an alert or asked to stop in the middle of one:
    another reads what is changed so far. No phone misses the alert."""
    verdict = Verdict("secrets")
    missed, seconds = [], []
    lasts = CLAIMED_SECONDS * options.phones / (THREADS * CLAIMED)
    with FanOut(options.binaries, options.phones, settings(options), pace(options, lasts)) as fanout:
        keys = Keys(fanout)
        fanout.settings["TOKEN_KEY_FILE"] = keys.file
        # The phones were made in clear.
        keys.change()
        active = fanout.warm_up()
        for number in range(1, options.rounds + 1):
            keys.add()
            verdict.require(keys.are_known(), f"secrets {number}: a process does not know the key {keys.count}")
            dies = number % 2 == 1
            say(f"  secrets {number} of {options.rounds}: key {keys.count}, a coordinator {'killed' if dies else 'stopped'}")
            change = threading.Thread(target=keys.change)
            change.start()
            time.sleep(dice.uniform(0, 0.3))
            if dies:
                active.kill()
                active = fanout.start(dice.choice([active.name, None]))
                round_ = Round(fanout, f"secrets {number}")
            else:
                round_ = Round(fanout, f"secrets {number}")
                round_.reach(dice.uniform(0.05, 0.8))
                verdict.require(active.stop() == 0, f"{active.name} did not end well")
                active = fanout.start()
            change.join()
            missed.append(check_round(verdict, fanout, round_, round_.version, round_.version))
            seconds.append(time.monotonic() - round_.begun)
            left = keys.left()
            verdict.require(keys.failure is None, f"secrets {number}: {keys.failure}")
            verdict.require(left == 0, f"secrets {number}: {left} tokens are not under the key {keys.count}")
            say(f"    {missed[-1]} missed it, all at the newest state after {seconds[-1]:.1f} s; {left} tokens left")
        finish(verdict, fanout, missed, seconds, *last_version(verdict, fanout))
    verdict.figures["changes"] = options.rounds
    return verdict


class Keys:
    """The key file, and `sightscreen secrets`, which brings the tokens under its newest key."""

    def __init__(self, fanout):
        self.fanout = fanout
        self.file = f"{fanout.folder}/token-keys"
        self.count = 0
        self.failure = None
        self.write(f"lookup {new_key()}\n")
        self.add()

    def write(self, text):
        with open(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as file:
            file.write(text)

    def add(self):
        self.count += 1
        self.write(f"{self.count} {new_key()}\n")

    def change(self):
        done = subprocess.run(
            [self.fanout.binaries / "sightscreen", "secrets", "rotate"],
            env={"DATABASE_URL": self.fanout.database_url, "TOKEN_KEY_FILE": self.file, "SIGHTSCREEN_STAND_INS": "1"},
            capture_output=True, text=True, timeout=60)
        self.failure = done.stderr.strip() if done.returncode else None

    def are_known(self):
        """Whether every process that runs has read the newest key, which takes 2 s, or 30 s after one was killed."""
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            if self.fanout.sql(f"""
                    SELECT count(*) FROM processes WHERE expires_at > clock_timestamp() AND token_keys IS NOT NULL
                        AND NOT EXISTS (SELECT FROM unnest(token_keys) AS key WHERE key LIKE '{self.count}:%')""")[0][0] == "0":
                return True
            time.sleep(0.2)
        return False

    def left(self):
        """Tokens that are not under the newest key."""
        return int(self.fanout.sql(f"""
            SELECT count(*) FROM (
                SELECT device_token AS token FROM devices UNION ALL SELECT push_to_start_token FROM devices
                UNION ALL SELECT update_token FROM live_activities
                UNION ALL SELECT token FROM apns_provider_tokens UNION ALL SELECT previous_token FROM apns_provider_tokens
            ) AS t WHERE token IS NOT NULL AND split_part(token, '$', 3) <> '{self.count}'""")[0][0])


def new_key():
    return base64.b64encode(os.urandom(32)).decode()
