"""What `deploy/bench scale` tries services on: replicas that are started and struck by hand, and live matches that go on when
they are told to."""

import pathlib

from children import Child, wait_until
from stage import Session, Stage, call, lasting_port

TAPES = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Fixtures" / "matches"
# Matches of twenty overs a side, each at several places of the second innings.
TWENTY20 = (392212, 1216517, 1256724, 1270836, 1273750, 1304066, 1304076, 1426299)
PLACES = [f"S2 {over}.1" for over in range(5, 10)]


class Replica(Child):
    def __init__(self, stage, service, instance):
        self.instance = instance
        self.health = ("127.0.0.1", lasting_port())
        super().__init__(
            instance, [stage.binaries / service], stage.folder / "logs" / f"{instance}.log",
            stage.environment(service, instance, stage.folder / "run", self.health))

    def is_ready(self):
        return call(self.health, "GET", "/health/ready")[0] == 200

    def begin(self):
        self.start()
        self.wait_until(f"{self.instance} is ready", self.is_ready)


class BenchStage(Stage):
    """Settings are production's, but for `timing`; all share one run directory; who dies stays dead."""

    def __init__(self, binaries, timing):
        super().__init__(binaries, TAPES)
        # The hour's allowance is of the provider, and a benchmark asks more often.
        self.timing = {"SPORTMONKS_HOURLY_LIMIT": "0", **timing}
        self.replicas = []

    def start_services(self, stack):
        self.session = Session(self.postgres)
        stack.callback(self.session.close)
        stack.callback(self.stop_replicas)

    def stop_replicas(self):
        for replica in reversed(self.replicas):
            replica.stop()

    def begin(self, service, letter):
        replica = Replica(self, service, f"{service}-{letter}")
        self.replicas.append(replica)
        replica.begin()
        return replica

    def holders(self, names):
        """By instance, how many of the leases like these it has."""
        rows = self.session.rows(
            f"SELECT split_part(holder, '/', 1) AS instance, count(*) FROM leases WHERE name LIKE '{names}'"
            " AND expires_at > clock_timestamp() GROUP BY 1")
        return {row["instance"]: row["count"] for row in rows}


class Feed:
    """Live matches that stand still until they are told to go on."""

    def __init__(self, stage, count):
        self.stage = stage
        order = [(tape, place) for place in PLACES for tape in TWENTY20][:count]
        self.places = {int(stage.control("POST", f"tapes/{tape}/load", {"paused": True})["matchId"]): place
                       for tape, place in order}

    def tell(self, action, body=lambda match: None):
        """By match, what it shows then: innings, ball and score."""
        return {match: self.stage.control("POST", f"matches/{match}/{action}", body(match))["label"].split()
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
        return {row["match_id"]: [row["overs"], row["score"]] for row in self.stage.session.rows(
            "SELECT match_id, content_state::json -> 'compactTrailing' ->> 'overs' AS overs,"
            " content_state::json -> 'compactLeading' ->> 'score' AS score FROM active_matches")}

    def versions(self):
        """The number of the newest version of each match."""
        return {row["match_id"]: row["version"]
                for row in self.stage.session.rows("SELECT match_id, version FROM active_matches")}
