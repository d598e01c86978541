"""The night of `deploy/soak blackouts`: two of each service, matches that go on ball by ball, phones on tokens and on channels,
and a real Prometheus with the shipped rules and intervals."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from attack_suite import LiveMatch
from fanout_fixture import Simulator
from fanout_secrets import Keys
from harness import SERVICES, STAND_INS, HarnessError, Suite, call, say, wait_until

SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "deploy/prometheus"
# A ball every so many seconds, at twice the pace of a real match. A channel is published to every 5 s at most, so that it lags
# behind balls that come faster.
BALL_EVERY = 12.0
TAPES = ("1304076", "1304066", "1426299", "1270836")
# Frames come when we step, so polls are only to be soon; a channel is made for a few followers. The rest is as shipped.
SETTINGS = {"ORCHESTRATOR_INTERVAL": "2s", "POLL_INTERVAL": "1s", "MARQUEE_POLL_INTERVAL": "1s", "BROADCAST": "auto",
            "CHANNEL_MIN_FOLLOWERS": "3", "SPORTMONKS_HOURLY_LIMIT": "100000"}
# PostgreSQL's own, so that no port is taken from others.
DATABASE_ADDRESS = "127.41.0.2"
DISK_BYTES = 192 << 20
CARDS_WITHIN = 180.0
WATCHDOG = "Watchdog"


class Crowd:
    """The phones of a match: on update tokens, on a channel, with frequent updates off, with tokens that APNs throttles."""

    def __init__(self, tokens=0, listeners=0, infrequent=0, throttled=0, is_held=False):
        self.tokens, self.listeners, self.infrequent, self.throttled = tokens, listeners, infrequent, throttled
        self.is_held = is_held

    @property
    def left_out(self):
        return self.tokens if self.is_held else self.infrequent + self.throttled


# The tokens by which APNs wants a phone left alone begin so.
THROTTLED = "badd"


class Night(Suite):
    PREFIX = "ss-night-"

    def __init__(self, binaries, crowds, has_small_disk=False):
        names = [{"name": name} for name in STAND_INS] + [
            {"name": f"{service}-{letter}", "service": service} for letter in "ab" for service in SERVICES]
        super().__init__(binaries, names, SETTINGS, ["max_connections=300"], restarts=False)
        self.user = None
        self.crowds = crowds
        self.has_small_disk = has_small_disk
        self.matches = []
        self.no_more_balls = threading.Event()
        self.ball_trouble = None

    def prepare(self, stack):
        self.keys = Keys(self)
        # Each service has a copy, as by systemd's LoadCredential.
        self.services_keys = shutil.copy(self.keys.file, self.folder / "keys-of-services")
        self.description["settings"]["TOKEN_KEY_FILE"] = str(self.services_keys)
        self.encrypt_database()
        (self.folder / "apns").mkdir(0o700)
        for each in self.description["instances"]:
            if each["name"] == "apns-simulator":
                each["settings"] = {"APNS_SIMULATOR_STATE_DIR": str(self.folder / "apns")}
        if self.has_small_disk:
            self.disk = self.folder / "disk"
            self.disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", self.disk], check=True)
            stack.callback(subprocess.run, ["umount", "--lazy", self.disk], check=False)

    def encrypt_database(self):
        """The services reach PostgreSQL as over a network: on TCP, and by a certificate that they check."""
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        (self.folder / "names").write_text(f"subjectAltName=IP:{DATABASE_ADDRESS}\n")
        for words in (
                ["req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "400", "-subj", "/CN=authority"],
                ["req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=database"],
                ["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                 "server.pem", "-days", "400", "-extfile", "names"]):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)
        # PostgreSQL does not run as root.
        shutil.chown(self.folder / "server.key", "postgres")
        self.description["postgres"] += [
            f"listen_addresses={DATABASE_ADDRESS}", "ssl=on", f"ssl_cert_file={self.folder}/server.pem",
            f"ssl_key_file={self.folder}/server.key"]
        self.description["settings"]["DATABASE_URL"] = (
            f"postgresql://sightscreen@{DATABASE_ADDRESS}/sightscreen?sslmode=verify-full"
            f"&sslrootcert={self.folder}/ca.pem")

    def set_up(self, stack):
        self.simulator = Simulator(self)
        if self.has_small_disk:
            self.move_to_small_disk()
        self.prometheus = Prometheus(self)
        stack.callback(self.prometheus.stop)
        for tape, crowd in zip(TAPES, self.crowds):
            match = LiveMatch(self, tape)
            self.matches.append(match)
            self.seat(match, crowd)
        stack.callback(self.no_more_balls.set)
        self.balls = threading.Thread(target=self.play, daemon=True)
        self.balls.start()
        wait_until("all cards are there", lambda: self.cards() >= sum(
            crowd.tokens + crowd.listeners for crowd in self.crowds), within=CARDS_WITHIN, pause=1)
        self.prometheus.begin()

    # Who plays, and who looks.

    def seat(self, match, crowd):
        """The phones are there, follow the match, and those on tokens have a card; the others get theirs by a start."""
        rows = []
        for number in range(crowd.tokens + crowd.listeners):
            kind = "listener" if number >= crowd.tokens else "infrequent" if number < crowd.infrequent \
                else "throttled" if number < crowd.infrequent + crowd.throttled else "token"
            prefix = THROTTLED if kind == "throttled" else "00"
            rows.append((f"{match.id}-{number}", kind, prefix + secrets.token_hex(32)[len(prefix):]))
        self.simulator.request("POST", "/tokens", "\n".join(json.dumps(
            {"token": token, "environment": "production", **({"kind": "start"} if kind == "listener" else {
                "kind": "update", "match": match.id})}) for _, kind, token in rows).encode())
        if crowd.throttled:
            self.fault({"status": 429, "reason": "TooManyRequests"}, tokenPrefix=THROTTLED)
        values = ",".join(f"('{name}','{kind}','{token}')" for name, kind, token in rows)
        self.sql(f"""
            CREATE TEMPORARY TABLE phones AS
            SELECT 'user-' || name AS user_id, 'phone-' || name AS device_id, kind, token,
                hashtextextended(name, 0) & 9223372036854775807 AS route FROM (VALUES {values}) AS t (name, kind, token);
            INSERT INTO devices (user_id, device_id, route, shard, broadcast, frequent_pushes_enabled, os_version,
                push_to_start_token, push_to_start_token_at)
            SELECT user_id, device_id, route, route >> 57, kind = 'listener', kind <> 'infrequent', '18.4',
                CASE kind WHEN 'listener' THEN token END, CASE kind WHEN 'listener' THEN clock_timestamp() END FROM phones;
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, start_attempts,
                update_token, token_at, activated_at)
            SELECT {match.id}, user_id, device_id, 1, route, route >> 57, 'active', 1, token,
                clock_timestamp() - interval '1 hour', clock_timestamp() - interval '1 hour'
            FROM phones WHERE kind <> 'listener';
            INSERT INTO match_follows (user_id, match_id) SELECT user_id, {match.id} FROM phones;
            """)
        if crowd.is_held:
            self.tool("hold", str(match.id))

    def cards(self):
        return int(self.sql("SELECT count(*) FROM live_activities WHERE status = 'active'")[0][0])

    def play(self):
        while not self.no_more_balls.wait(BALL_EVERY):
            for match in self.matches:
                try:
                    match.step()
                except (OSError, HarnessError) as error:
                    self.ball_trouble = error
            self.look()

    def look(self):
        """A user who is not among the phones opens the app, at each gateway."""
        self.user = self.user or self.bearer("onlooker")
        for name in ("api-gateway-a", "api-gateway-b"):
            process = self.processes[name]
            for path in ("/matches/live", "/user/follows"):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    call(process.url, "GET", path, headers={"Authorization": f"Bearer {self.user}"})

    def tool(self, *words):
        """`sightscreen …` as an operator calls it; what it prints."""
        done = subprocess.run(
            [self.binaries / "sightscreen", *words], capture_output=True, text=True, timeout=60,
            env={"DATABASE_URL": self.database_url, "SIGHTSCREEN_STAND_INS": "1", "PATH": "/usr/bin:/bin"})
        return done.stdout + done.stderr

    def inspect(self):
        return "\n".join(self.tool("inspect", "match", str(match.id)) for match in self.matches)

    def log_marks(self):
        return {path: path.stat().st_size for path in (self.folder / "logs").glob("*.log")}

    def logged(self, marks):
        """By file, what it says since then."""
        found = {}
        for path in (self.folder / "logs").glob("*.log"):
            with open(path, "rb") as file:
                file.seek(marks.get(path, 0))
                found[path.stem] = file.read().decode(errors="replace")
        return found

    # What befalls them.

    @property
    def half(self):
        return [self.processes[f"{service}-b"] for service in SERVICES]

    def stop_half(self):
        for process in self.half:
            process.send_signal(signal.SIGTERM)

    def start_half(self):
        for process in self.half:
            process.start()

    def fault(self, what, **match):
        self.simulator.request("POST", "/faults", json.dumps({"match": {"count": 0, **match}, **what}))

    def end_faults(self):
        self.simulator.clear_faults()

    def change_key(self):
        """`secrets rotate` with a key that no process has. It refuses while it knows of them; for it they are made processes that
        read no tokens. A row that ran out would be a database that went back."""
        self.keys.add()
        self.keys.change()
        if not self.keys.failure or "cannot be read by" not in self.keys.failure:
            raise HarnessError(f"secrets rotate did not refuse: {self.keys.failure}")
        self.sql("""
            CREATE FUNCTION hide_keys() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.token_keys := NULL; RETURN NEW; END $$;
            CREATE TRIGGER hide_keys BEFORE INSERT OR UPDATE ON processes FOR EACH ROW EXECUTE FUNCTION hide_keys();
            UPDATE processes SET token_keys = NULL;
            """)
        self.keys.change()
        self.sql("DROP TRIGGER hide_keys ON processes")
        if self.keys.failure:
            raise HarnessError(f"secrets rotate: {self.keys.failure}")

    def give_key(self):
        shutil.copy(self.keys.file, self.services_keys)

    def move_to_small_disk(self):
        """All tables, and not the WAL, whose end would be PostgreSQL's."""
        [[data]] = self.sql("SHOW data_directory")
        owner = os.stat(data)
        os.chown(self.disk, owner.st_uid, owner.st_gid)
        self.sql(f"CREATE TABLESPACE small LOCATION '{self.disk}'")
        for kind in ("TABLE", "INDEX"):
            self.sql(f"ALTER {kind} ALL IN TABLESPACE pg_default SET TABLESPACE small")

    def fill_disk(self):
        with contextlib.suppress(OSError), open(self.disk / "filled", "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))

    def empty_disk(self):
        (self.disk / "filled").unlink()


class Prometheus:
    """Debian's, with the shipped rules and intervals; what fires is noted twice a second."""

    def __init__(self, suite):
        self.suite = suite
        self.folder = suite.folder / "prometheus"
        self.folder.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.process = None
        self.is_over = threading.Event()
        # (time, what fires as (alert, severity)).
        self.seen = []

    def begin(self):
        shutil.copy(SHIPPED / "rules.yml", self.folder)
        config = (SHIPPED / "prometheus.yml").read_text(encoding="utf-8")
        config = re.sub(r"^scrape_configs:.*", "", config, flags=re.S | re.M) + "scrape_configs:\n"
        for service in SERVICES:
            targets = [urllib.parse.urlsplit(self.suite.processes[f"{service}-{letter}"].ready).netloc for letter in "ab"]
            config += f"  - job_name: {service}\n    static_configs: [{{ targets: {json.dumps(targets)} }}]\n"
        (self.folder / "prometheus.yml").write_text(config)
        with open(self.suite.folder / "logs" / "prometheus.log", "wb") as log:
            self.process = subprocess.Popen(
                [pathlib.Path(os.environ["PROMTOOL"]).with_name("prometheus"), "--config.file=prometheus.yml",
                 "--storage.tsdb.path=data", f"--web.listen-address={self.address}"],
                cwd=self.folder, stdout=log, stderr=log, start_new_session=True)
        wait_until("Prometheus fires its watchdog", lambda: WATCHDOG in {name for name, _ in self.firing()}, within=60)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def stop(self):
        self.is_over.set()
        if self.process is not None:
            # Nothing of it is kept.
            self.process.kill()
            self.process.wait()

    def ask(self, path):
        status, answer = call(f"http://{self.address}", "GET", path, timeout=15)
        if status != 200:
            raise HarnessError(f"Prometheus, {path}: {status} {answer}")
        return answer["data"]

    def firing(self):
        return frozenset((each["labels"]["alertname"], each["labels"]["severity"])
                         for each in self.ask("/api/v1/alerts")["alerts"] if each["state"] == "firing")

    def run(self):
        while not self.is_over.wait(0.5):
            try:
                self.seen.append((time.time(), self.firing() - {(WATCHDOG, "none")}))
            except (OSError, HarnessError) as error:
                say(f"  Prometheus: {error}")

    def first(self, since, until):
        """By (alert, severity), the seconds after `since` at which it fired first."""
        found = {}
        for at, alerts in self.seen:
            if since <= at <= until:
                for alert in alerts:
                    found.setdefault(alert, round(at - since, 1))
        return found

    def last(self, since, but):
        """The seconds after `since` at which an alert fired last, and which, but for some; 0 if none did."""
        found = [(at, names) for at, alerts in self.seen if at >= since and (names := {name for name, _ in alerts} - but)]
        return (round(found[-1][0] - since, 1), sorted(found[-1][1])) if found else (0, [])

    def most(self, expression, seconds):
        return self.value(f"max(max_over_time({expression}[{int(seconds)}s]))")

    def absent(self, series, seconds):
        """Those that had no sample."""
        return [each for each in series if not self.value(f"count(last_over_time({each}[{int(seconds)}s]))")]

    def value(self, query):
        """0 where there is no series."""
        result = self.ask("/api/v1/query?query=" + urllib.parse.quote(query))["result"]
        return float(result[0]["value"][1]) if result else 0.0
