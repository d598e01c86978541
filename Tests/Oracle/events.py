#!/usr/bin/env python3
"""Counts the events of a Cricsheet match, one JSON object a line, straight from the data.

It knows nothing of frames, polls or the Swift code: it reads the scorecard as a scorer would and applies the
definitions of the events. What `sightscreen replay --events` prints for the same match must be the same lines.

    events.py MATCH.json             the events, in order
    events.py MATCH.json --summary   one object: totals, targets and result, in the data's own terms
    events.py MATCHES --write DIR    ID.events and ID.summary in DIR for every match of a folder

Rain and the end of a day are the feed's alone: no data has when the umpires took the players off, so `suspended`, `resumed`
and `stumps` are not counted.

A line's keys, absent where they do not apply: innings, ball, event, bowler, batter, playerOut, value.
"""

import argparse
import json
import pathlib
import sys
from collections import defaultdict

# A batter who leaves unhurt in the scorebook's eyes: not out, so no wicket.
NOT_A_WICKET = {"retired hurt", "retired not out"}
BOWLERS_WICKETS = {"bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"}
# No ball shows it: the batter never got to the crease. The data hangs it on the ball before.
BETWEEN_BALLS = {"timed out"}

RUNS_OFF_THE_BAT = {0: "dot", 1: "one", 2: "two", 3: "three"}
BOUNDARIES = {4: "four", 6: "six"}

# Runs an over, in halves so that they stay whole numbers: 6.0, 4.5 and 3.0.
ECONOMY_HALVES = {"T20": 12, "IT20": 12, "ODI": 9, "ODM": 9, "Test": 6, "MDM": 6}


class Delivery:
    """One delivery as the definitions see it."""

    def __init__(self, record):
        extras = record.get("extras", {})
        runs = record["runs"]
        self.batter = record["batter"]
        self.non_striker = record["non_striker"]
        self.bowler = record["bowler"]
        self.bat = runs["batter"]
        self.penalty = extras.get("penalty", 0)
        self.total = runs["total"]
        self.wide = "wides" in extras
        self.no_ball = "noballs" in extras
        self.legal = not (self.wide or self.no_ball)
        self.faced = not self.wide
        self.conceded = self.bat + extras.get("wides", 0) + extras.get("noballs", 0)
        self.boundary = BOUNDARIES.get(self.bat) if not runs.get("non_boundary") else None
        departures = record.get("wickets", [])
        self.left_crease = bool(departures)
        out = [wicket for wicket in departures if wicket["kind"] not in NOT_A_WICKET]
        self.wickets = [wicket["player_out"] for wicket in out if wicket["kind"] not in BETWEEN_BALLS]
        self.wickets_after = [wicket["player_out"] for wicket in out if wicket["kind"] in BETWEEN_BALLS]
        own = [wicket["player_out"] for wicket in out if wicket["kind"] in BOWLERS_WICKETS]
        self.bowlers_wicket = own[0] if own else None

    def own_event(self):
        """What the ball is if nobody is out on it."""
        if self.boundary:
            return self.boundary
        if not self.legal:
            return "extras"
        if self.total - self.penalty == 0:
            return "dot"
        if self.total - self.penalty == self.bat and self.bat in RUNS_OFF_THE_BAT:
            return RUNS_OFF_THE_BAT[self.bat]
        return "extras"


class Batter:
    def __init__(self):
        self.runs = 0
        self.balls = 0
        self.sixes_in_a_row = 0
        self.was_in_nineties = False
        self.was_on_fire = False


class Bowler:
    def __init__(self):
        self.legal_balls = 0
        self.conceded = 0
        self.wickets = 0
        self.streak = 0
        self.was_on_fire = False


class Chase:
    """What the side that bats last in a pair of innings has to make, and in which over that ends."""

    def __init__(self, target, overs, wickets):
        self.target = target
        # 25.3 overs end in the over with the number 25, counted from 0.
        self.last_over = int(overs) if overs % 1 else int(overs) - 1
        self.wickets = wickets

    def is_close(self, runs, fallen):
        return 1 <= self.target - runs <= 20 and fallen < self.wickets


class Innings:
    """Counts one innings from nothing."""

    def __init__(self, number, match_type, chase=None, start=0):
        self.number = number
        self.chase = chase
        self.runs = start
        self.fallen = 0
        self.was_close = False
        self.finish_is_due = False
        self.economy_halves = ECONOMY_HALVES[match_type]
        self.batters = defaultdict(Batter)
        self.bowlers = defaultdict(Bowler)
        self.at_crease = set()
        self.last_label = None
        self.label_of_departure = None
        self.events = []

    def tell(self, event, label, **details):
        line = {"innings": self.number}
        if label is not None:
            line["ball"] = label
        line["event"] = event
        line.update({key: details[key] for key in ("bowler", "batter", "playerOut", "value") if key in details})
        self.events.append(line)

    def count(self, overs):
        self.look_ahead(over=0)
        self.tell_finish()
        for index, over in enumerate(overs):
            legal = self.count_over(over)
            if legal < 6 and index + 1 < len(overs):
                # Known when the next over starts, and told before anything that happens in it.
                self.tell("endOfOver", self.last_label)
                self.look_ahead(over["over"] + 1)
        self.tell_finish()
        return self.events

    def look_ahead(self, over):
        """The over with this number is about to begin: whether it is the last one, and the chase may end either way."""
        if self.chase and over == self.chase.last_over and not self.was_close:
            self.was_close = self.chase.is_close(self.runs, self.fallen)
            self.finish_is_due = self.was_close

    def tell_finish(self):
        """Told after whoever comes in to bat for the last over."""
        if self.finish_is_due:
            self.finish_is_due = False
            self.tell("closeFinish", self.last_label)

    def count_over(self, over):
        legal = 0
        bowlers = set()
        conceded = 0
        for record in over["deliveries"]:
            ball = Delivery(record)
            self.welcome(ball)
            self.tell_finish()
            label = f"{over['over']}.{legal + 1}"
            bowlers.add(ball.bowler)
            conceded += ball.conceded
            legal += ball.legal
            self.count_ball(ball, label)
            self.runs += ball.total
            self.fallen += len(ball.wickets)
            if ball.legal and legal == 6:
                self.tell("endOfOver", label)
                if len(bowlers) == 1 and conceded == 0:
                    self.tell("maidenOver", label, bowler=ball.bowler)
            for player in ball.wickets_after:
                self.fallen += 1
                self.tell("wicket", label, playerOut=player)
            if ball.left_crease:
                self.label_of_departure = label
            self.last_label = label
            if legal >= 6:
                self.look_ahead(over["over"] + 1)
        return legal

    def welcome(self, ball):
        """Whoever is at the crease for this ball and was not before came in after the last wicket or retirement."""
        pair = [ball.batter, ball.non_striker]
        if self.last_label is not None:
            for player in pair:
                if player not in self.at_crease:
                    self.tell("newBatter", self.label_of_departure, batter=player)
        self.at_crease.update(pair)

    def count_ball(self, ball, label):
        people = {"bowler": ball.bowler, "batter": ball.batter}
        batter = self.batters[ball.batter]
        bowler = self.bowlers[ball.bowler]
        runs_before = batter.runs

        batter.runs += ball.bat
        batter.balls += ball.faced
        if ball.faced:
            batter.sixes_in_a_row = batter.sixes_in_a_row + 1 if ball.boundary == "six" else 0
        bowler.legal_balls += ball.legal
        bowler.conceded += ball.conceded
        if ball.bowlers_wicket is None:
            bowler.streak = 0
        else:
            bowler.wickets += 1
            bowler.streak += 1

        if not ball.wickets:
            self.tell(ball.own_event(), label, **people)
        if ball.boundary == "six" and batter.sixes_in_a_row >= 3:
            self.tell("consecutiveSixes", label, **people, value=batter.sixes_in_a_row)
        if 90 <= batter.runs <= 99 and not batter.was_in_nineties:
            batter.was_in_nineties = True
            self.tell("nineties", label, **people)
        if batter.runs // 50 > runs_before // 50:
            self.tell("milestone", label, **people, value=batter.runs // 50 * 50)
        for player in ball.wickets:
            self.tell("wicket", label, **people, playerOut=player)
        if ball.bowlers_wicket is not None:
            self.tell_streak(ball, label, people, bowler.streak)
            if bowler.wickets in (5, 10):
                self.tell("fiveWickets", label, bowler=ball.bowler, value=bowler.wickets)
            if self.is_on_fire(bowler) and not bowler.was_on_fire:
                bowler.was_on_fire = True
                self.tell("bowlerOnFire", label, bowler=ball.bowler)
        if batter.balls >= 15 and batter.runs * 100 >= batter.balls * 200 and not batter.was_on_fire:
            batter.was_on_fire = True
            self.tell("batterOnFire", label, **people)

    def tell_streak(self, ball, label, people, streak):
        if streak == 2:
            self.tell("onHatTrick", label, **people, playerOut=ball.bowlers_wicket)
        elif streak >= 3:
            self.tell("hatTrick", label, **people, playerOut=ball.bowlers_wicket, value=streak)

    def is_on_fire(self, bowler):
        enough = bowler.wickets >= 3 and bowler.legal_balls >= 12
        return enough and bowler.conceded * 6 * 2 <= self.economy_halves * bowler.legal_balls


def events_of(match):
    """The events of a match, in order."""
    lines = [{"event": "toss"}] if {"winner", "decision"} <= match["info"].get("toss", {}).keys() else []
    played = match["innings"]
    for number, record in enumerate(played, start=1):
        if number == 2 and is_revised(match):
            lines.append({"innings": 2, "event": "targetRevised"})
        start = record.get("penalty_runs", {}).get("pre", 0)
        innings = Innings(number, match["info"]["match_type"], chase_of(match, number), start)
        lines += innings.count(record.get("overs", []))
        is_last = number == len(played)
        innings.events = []
        innings.tell("matchResult" if is_last else "inningsBreak", innings.last_label)
        lines += innings.events
    return lines


def is_limited(match):
    return match["info"]["match_type"] not in ("Test", "MDM")


def is_revised(match):
    """Whether the second side has to make anything but the first one's runs and one more."""
    target = match["innings"][1].get("target", {}).get("runs")
    return is_limited(match) and target is not None and target != totals_of(1, match["innings"][0])["runs"] + 1


def chase_of(match, number):
    """What the innings chases; None for one that sets a target, and where there is no limit."""
    if not is_limited(match) or number % 2 == 1:
        return None
    before = totals_of(number - 1, match["innings"][number - 2])["runs"]
    if number > 2:
        return Chase(before + 1, 1, wickets=2)
    given = match["innings"][1].get("target", {})
    return Chase(given.get("runs", before + 1), given.get("overs", match["info"].get("overs", 20)), wickets=10)


def totals_of(number, record):
    """Runs, wickets and overs of one innings, as a scorecard ends it."""
    runs = sum(record.get("penalty_runs", {}).values())
    wickets = 0
    overs = record.get("overs", [])
    completed, balls = 0, 0
    for index, over in enumerate(overs):
        balls = 0
        for delivery in over["deliveries"]:
            runs += delivery["runs"]["total"]
            wickets += sum(wicket["kind"] not in NOT_A_WICKET for wicket in delivery.get("wickets", []))
            balls += Delivery(delivery).legal
        # An over is over when its six balls are bowled or when the next one starts, however the umpires counted.
        if balls >= 6 or index + 1 < len(overs):
            completed, balls = completed + 1, 0
    return {"innings": number, "team": record["team"], "runs": runs, "wickets": wickets, "overs": f"{completed}.{balls}"}


def result_text(outcome):
    """How every wording of the result has to begin: "X won by 10 runs", "Match tied (X won", "No result"."""
    if "winner" not in outcome:
        text = {"no result": "No result", "tie": "Match tied", "draw": "Match drawn"}[outcome["result"]]
        return f"{text} ({outcome['eliminator']} won" if "eliminator" in outcome else text
    by = outcome.get("by", {})
    margin = ["an innings"] if "innings" in by else []
    for unit in ("runs", "wickets"):
        if unit in by:
            margin.append(f"{by[unit]} {unit if by[unit] != 1 else unit[:-1]}")
    return f"{outcome['winner']} won" + (" by " + " and ".join(margin) if margin else "")


def summary_of(match):
    """Totals, targets and the result of a match."""
    played = match["innings"]
    outcome = match["info"]["outcome"]
    targets = []
    for number, record in enumerate(played, start=1):
        if "target" in record:
            targets.append({"innings": number, **record["target"]})
    return {
        "matchType": match["info"]["match_type"],
        "innings": [totals_of(number, record) for number, record in enumerate(played, start=1)],
        "targets": targets,
        "outcome": outcome,
        "winner": outcome.get("winner", outcome.get("eliminator")),
        "result": result_text(outcome),
        "method": outcome.get("method"),
    }


def read(path):
    """A match, or the end with a line that says why not."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as problem:
        sys.exit(f"events.py: cannot read {path}: {problem}")


def text_of(objects):
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in objects)


def write_all(matches, folder):
    """ID.events and ID.summary in `folder` for each match of the folder `matches`."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(matches.glob("*.json")):
        match = read(path)
        (folder / f"{path.stem}.events").write_text(text_of(events_of(match)), encoding="utf-8")
        (folder / f"{path.stem}.summary").write_text(text_of([summary_of(match)]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Counts the events of a Cricsheet match.")
    parser.add_argument("match", type=pathlib.Path, help="a match in Cricsheet's JSON; with --write a folder of them")
    parser.add_argument("--summary", action="store_true", help="print totals, targets and the result instead")
    parser.add_argument("--write", type=pathlib.Path, metavar="DIR", help="write both for every match into this folder")
    arguments = parser.parse_args()
    if arguments.write:
        write_all(arguments.match, arguments.write)
        return
    match = read(arguments.match)
    sys.stdout.write(text_of([summary_of(match)] if arguments.summary else events_of(match)))


if __name__ == "__main__":
    main()
