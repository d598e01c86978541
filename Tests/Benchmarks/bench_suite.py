"""What benchmarks have in common: a PostgreSQL that they measure, an issuer whose keys a gateway reads, replicas that are struck by
hand, and live matches that go on when they are told to."""

import http.server
import os
import pathlib
import re
import subprocess
import threading
import time

from harness import STAND_INS, Session, Suite, processor_seconds, wait_until

ISSUER, CLIENT = "https://issuer.example/pool", "ios-app"
# Matches of twenty overs a side, each at several places of the second innings.
TWENTY20 = (392212, 1216517, 1256724, 1270836, 1273750, 1304066, 1304076, 1426299)
PLACES = [f"S2 {over}.1" for over in range(5, 10)]
# More than a measurement writes.
LOG_BYTES = 500_000_000


class Database(Suite):
    """A PostgreSQL with its own durability: fsync, full_page_writes and synchronous_commit are on."""

    PREFIX = "ss-bench-"

    def __init__(self, binaries):
        super().__init__(binaries, postgres=[
            "shared_buffers=256MB", "log_min_messages=warning",
            # No checkpoint but those between the measurements.
            "max_wal_size=8GB", "checkpoint_timeout=1h",
            # A server that has run for a while writes its log into files that it has; a new one makes each of them anew.
            "min_wal_size=2GB"])

    def set_up(self, stack):
        """Makes the files of the log that will be written to."""
        self.sql(f"CREATE TABLE ballast AS SELECT repeat('x', 1000) FROM generate_series(1, {LOG_BYTES // 1_000})")
        self.sql("DROP TABLE ballast")
        self.sql("CHECKPOINT")

    def settle(self, *tables):
        """Before each measurement, so that none pays for the one before."""
        for table in tables:
            self.sql(f"VACUUM {table}")
        self.sql("CHECKPOINT")

    def server_seconds(self):
        return processor_seconds(self.postgres.pid)

    def encrypt(self):
        """Makes a TOKEN_KEY_FILE and encrypts all push tokens. Returns the file, and the seconds that this took."""
        sightscreen, key_file = self.binaries / "sightscreen", f"{self.folder}/token-keys"
        keys = subprocess.run([sightscreen, "secrets", "keys"], check=True, capture_output=True, text=True).stdout
        with open(os.open(key_file, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
            file.write(keys)
        began = time.monotonic()
        subprocess.run([sightscreen, "secrets", "rotate", "--database-url", self.database_url, "--key-file", key_file],
                       check=True, capture_output=True)
        return key_file, time.monotonic() - began

    def begin_gateway(self, key_file=""):
        """registration-lab as a gateway, which reads the keys that the same program has made in our folder."""
        gateway = self.begin("api-gateway", program=str(self.binaries / "registration-lab"), settings={
            "COGNITO_ISSUER": ISSUER, "COGNITO_CLIENT_ID": CLIENT, "COGNITO_JWKS_URL": publish(self.folder / "jwks.json"),
            "LOG_LEVEL": "warning", "RATE_LIMIT_FACTOR": "0", "TOKEN_KEY_FILE": key_file, "REPLAY_URL": ""})
        gateway.wait_until("the gateway is ready", gateway.answers)
        return gateway


def publish(path):
    """Serves a file, as an issuer does its key set. Returns its URL."""
    document = path.read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(document)))
            self.end_headers()
            self.wfile.write(document)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/jwks.json"


def memory(pid, name="VmRSS"):
    """MiB; or `VmHWM`, the most there was."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return round(int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1024, 1)


class Replicas(Suite):
    """Settings are production's, but for `timing`; who dies stays dead."""

    PREFIX = "ss-bench-"

    def __init__(self, binaries, timing):
        # Many services have pools of their own, and the dead ones' sessions end a moment later.
        super().__init__(binaries, STAND_INS, timing, ["max_connections=300"])
        self.replicas = []

    def set_up(self, stack):
        self.session = Session(self)
        stack.callback(self.session.close)

    def begin_replica(self, service, letter):
        replica = self.begin(f"{service}-{letter}", service)
        self.replicas.append(replica)
        replica.wait_until(f"{replica.name} is ready", replica.answers)
        return replica

    @property
    def gateways(self):
        return [replica.url for replica in self.replicas if replica.url]

    def holders(self, names):
        """By instance, how many of the leases like these it has."""
        rows = self.session.rows(
            f"SELECT split_part(holder, '/', 1) AS instance, count(*) FROM leases WHERE name LIKE '{names}'"
            " AND expires_at > clock_timestamp() GROUP BY 1")
        return {row["instance"]: row["count"] for row in rows}


class Feed:
    """Live matches that stand still until they are told to go on."""

    def __init__(self, suite, count):
        self.suite = suite
        order = [(tape, place) for place in PLACES for tape in TWENTY20][:count]
        self.places = {int(suite.control("POST", f"tapes/{tape}/load", {"paused": True})["matchId"]): place
                       for tape, place in order}

    def tell(self, action, body=lambda match: None):
        """By match, what it shows then: innings, ball and score."""
        return {match: self.suite.control("POST", f"matches/{match}/{action}", body(match))["label"].split()
                for match in self.places}

    def rewind(self):
        """To where each match begins; returns when that is committed."""
        shown = {match: label[1:] for match, label in self.tell("seek", lambda match: {"label": self.places[match]}).items()}
        wait_until("the matches are where they begin", lambda: self.newest() == shown, within=120, pause=0.2)

    def step(self):
        """The next ball of each. Returns by match the score."""
        return {match: label[-1] for match, label in self.tell("step").items()}

    def newest(self):
        """By match, overs and score of the newest version."""
        return {row["match_id"]: [row["overs"], row["score"]] for row in self.suite.session.rows(
            "SELECT match_id, content_state::json -> 'compactTrailing' ->> 'overs' AS overs,"
            " content_state::json -> 'compactLeading' ->> 'score' AS score FROM active_matches")}

    def versions(self):
        """The number of the newest version of each match."""
        return {row["match_id"]: row["version"]
                for row in self.suite.session.rows("SELECT match_id, version FROM active_matches")}
