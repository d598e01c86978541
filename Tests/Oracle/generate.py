#!/usr/bin/env python3
"""Makes up cricket matches in Cricsheet's JSON that hold what real ones rarely do, all at once.

Every kind of dismissal, batters who retire and come back, overs of five and seven balls, bowlers who change in the
middle of an over, runs from every source on one ball, penalties, declarations, follow-ons, super overs, revised targets,
matches that are drawn, tied, rained off or awarded. The same seed gives the same match.

    generate.py SEED > match.json
"""

import argparse
import json
import random
import sys

SURNAMES = (
    "de Villiers|van der Dussen|Sharma|Kohli|Bumrah|Ngidi|Müller|Tendulkar|Perera|Nabi|Khan|Stokes|O'Brien|"
    "Smith-Jones|Chanderpaul|Iyer|Mavi|Cummins|Boult|Root|Ali|Shakib|Gunathilaka|Jørgensen|Singh|Warner|Hope|Raza"
).split("|")
BOWLERS_WICKETS = ["bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"]
OTHER_WICKETS = ["run out", "obstructing the field", "hit the ball twice", "handled the ball", "retired out"]


class Match:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.format = self.random.choice(["T20", "T20", "ODI", "Test"])
        self.overs = None if self.format == "Test" else self.random.choice([3, 5, 8])
        self.teams = ["Northern Lights", "Southern Stars"]
        self.players = {team: self.squad(team) for team in self.teams}
        # How lively it is: wickets and sixes in a hundred balls.
        self.wicket_rate = self.random.choice([0.04, 0.1, 0.3])
        self.six_rate = self.random.choice([0.05, 0.15, 0.5])
        self.innings = []
        self.totals = []

    def squad(self, team):
        initials = "ABCDEFGHIJK"
        names = self.random.sample(SURNAMES, 11)
        return [f"{initials[i]}{team[0]} {name}" for i, name in enumerate(names)]

    # One innings

    def bat(self, team, overs, wickets=10, target=None, declares_at=None, stops_at=None, batters=None):
        """Plays an innings and says why it ended: out, overs, won, declared, stopped."""
        other = self.teams[1 - self.teams.index(team)]
        record = {"team": team, "overs": []}
        waiting = list(batters or self.players[team])
        pair = [waiting.pop(0), waiting.pop(0)]
        resting = []
        bowlers = self.random.sample(self.players[other], 5)
        score, fallen, over, last_bowler, reason = 0, 0, 0, None, None
        if overs and self.random.random() < 0.03:
            record["penalty_runs"] = {"pre": 5}
            score += 5
        while reason is None:
            if overs is not None and over == overs:
                reason = "overs"
                break
            if declares_at is not None and over >= declares_at:
                record["declared"] = True
                reason = "declared"
                break
            if stops_at is not None and over >= stops_at:
                reason = "stopped"
                break
            bowler = self.random.choice([name for name in bowlers if name != last_bowler])
            length = self.random.choices([6, 5, 7], [94, 3, 3])[0]
            # An innings that ends with a short over has an unfinished one: nobody could tell.
            if length == 5 and (over + 1 == overs or declares_at == over + 1 or stops_at == over + 1):
                length = 6
            deliveries, legal = [], 0
            while legal < length and reason is None:
                if self.random.random() < 0.01:
                    bowler = self.random.choice([name for name in bowlers if name != last_bowler])
                ball, legal_ball, leaver, run = self.deliver(pair, bowler, other)
                score += ball["runs"]["total"]
                legal += legal_ball
                if run % 2:
                    pair.reverse()
                if leaver:
                    kind = ball["wickets"][0]["kind"]
                    if kind in ("retired hurt", "retired not out"):
                        if not waiting and not resting:
                            del ball["wickets"]
                            leaver = None
                        else:
                            newcomer = waiting.pop(0) if waiting else resting.pop(0)
                            resting.append(leaver)
                            pair[pair.index(leaver)] = newcomer
                    else:
                        fallen += 1
                        if fallen == wickets or not (waiting or resting):
                            reason = "out"
                        else:
                            if len(waiting) > 1 and fallen + 1 < wickets and self.random.random() < 0.03:
                                ball["wickets"].append({"player_out": waiting.pop(0), "kind": "timed out"})
                                fallen += 1
                            returns = resting and (not waiting or self.random.random() < 0.3)
                            pair[pair.index(leaver)] = resting.pop(0) if returns else waiting.pop(0)
                            if self.random.random() < 0.5:
                                pair.reverse()
                deliveries.append(ball)
                if target is not None and score >= target:
                    reason = "won"
                if stops_at is not None and reason is None and over + 0.5 >= stops_at and legal >= 3:
                    reason = "stopped"
            pair.reverse()
            record["overs"].append({"over": over, "deliveries": deliveries})
            if legal != 6 and reason is None and (legal == 5 or self.random.random() < 0.7):
                record.setdefault("miscounted_overs", {})[str(over)] = {"balls": legal, "umpire": "N Body"}
            last_bowler = bowler
            over += 1
        if overs and self.random.random() < 0.03 and reason != "won":
            record.setdefault("penalty_runs", {})["post"] = 5
            score += 5
        self.innings.append(record)
        self.totals.append(score)
        return reason, score, fallen

    def deliver(self, pair, bowler, fielding):
        """One delivery: the record, whether it is legal, who leaves the crease, and how often the batters crossed."""
        pick = self.random.random
        striker, partner = pair
        extras, bat, boundary, crossed = {}, 0, True, 0
        chance = pick()
        if chance < 0.06:
            extras["wides"] = self.random.choice([1, 1, 1, 2, 3, 5])
            crossed = 0 if extras["wides"] == 5 else extras["wides"] - 1
        else:
            if chance < 0.11:
                extras["noballs"] = 1
            if pick() < self.six_rate:
                bat = 6
            else:
                bat = self.random.choices([0, 1, 2, 3, 4, 5], [40, 35, 8, 2, 14, 1])[0]
            if bat in (4, 6) and pick() < 0.06:
                boundary = False
            crossed = bat if not (bat in (4, 6) and boundary) else 0
            if bat == 0 and pick() < 0.1:
                runs = self.random.choice([1, 1, 2, 4])
                extras[self.random.choice(["byes", "legbyes"])] = runs
                crossed = runs % 4
        if pick() < 0.01:
            extras["penalty"] = 5
        ball = {"batter": striker, "bowler": bowler, "non_striker": partner}
        legal = not ({"wides", "noballs"} & extras.keys())
        leaver = None
        if pick() < self.wicket_rate:
            wicket = self.wicket(striker, partner, fielding, extras, bat)
            if wicket:
                leaver = wicket["player_out"]
                ball["wickets"] = [wicket]
                if wicket["kind"] in BOWLERS_WICKETS:
                    bat, crossed = 0, 0
                    for name in ("byes", "legbyes"):
                        extras.pop(name, None)
                elif bat in (4, 6) and boundary:
                    bat, crossed = 1, 1
        total_extras = sum(extras.values())
        ball["runs"] = {"batter": bat, "extras": total_extras, "total": bat + total_extras}
        if bat in (4, 6) and not boundary:
            ball["runs"]["non_boundary"] = True
        if extras:
            ball["extras"] = extras
        return ball, legal, leaver, crossed

    def wicket(self, striker, partner, fielding, extras, bat):
        pick = self.random.random()
        if "noballs" in extras:
            kind = self.random.choice(["run out", "obstructing the field"])
        elif "wides" in extras:
            kind = self.random.choice(["stumped", "hit wicket", "run out", "obstructing the field"])
        elif pick < 0.72:
            kind = self.random.choice(BOWLERS_WICKETS)
        elif pick < 0.9:
            kind = self.random.choice(OTHER_WICKETS)
        else:
            kind = self.random.choice(["retired hurt", "retired hurt", "retired not out"])
        # A stumping needs a keeper and a wide's one run.
        if kind == "stumped" and extras.get("wides", 1) > 1:
            kind = "run out"
        either = kind in ("run out", "obstructing the field", "retired hurt", "retired not out", "retired out")
        wicket = {"player_out": self.random.choice([striker, partner]) if either else striker, "kind": kind}
        if kind in ("caught", "stumped", "run out") and self.random.random() < 0.95:
            wicket["fielders"] = [{"name": self.random.choice(self.players[fielding])}]
        return wicket

    # The match

    def play(self):
        outcome = self.play_test() if self.format == "Test" else self.play_limited()
        info = {
            "balls_per_over": 6,
            "dates": ["2026-06-01"],
            "gender": "male",
            "match_type": self.format,
            "match_type_number": self.seed,
            "outcome": outcome,
            "players": self.players,
            "registry": {"people": {}},
            "season": "2026",
            "team_type": "club",
            "teams": self.teams,
            "toss": {"decision": "bat", "winner": self.teams[0]},
        }
        if self.overs:
            info["overs"] = self.overs
        return {"meta": {"data_version": "1.1.0", "created": "2026-06-02", "revision": 1}, "info": info,
                "innings": self.innings}

    def play_limited(self):
        first, second = self.teams
        if self.random.random() < 0.05:
            self.bat(first, self.overs, stops_at=self.random.randint(1, self.overs))
            return {"result": "no result"}
        self.bat(first, self.overs)
        target, overs = self.totals[0] + 1, self.overs
        outcome = {}
        if self.random.random() < 0.15 and self.overs > 3:
            overs = self.overs - self.random.randint(1, 2)
            target = max(2, target * overs // self.overs + self.random.randint(-3, 3))
            outcome["method"] = "D/L"
        stops_at = self.random.randint(1, overs) if self.random.random() < 0.06 else None
        reason, _, fallen = self.bat(second, overs, target=target, stops_at=stops_at)
        self.innings[1]["target"] = {"overs": overs, "runs": target}
        if reason == "stopped":
            return {"result": "no result"}
        score = self.totals[1]
        if score >= target:
            return {"winner": second, "by": {"wickets": 10 - fallen}, **outcome}
        if score == target - 1:
            return self.super_overs() if not outcome else {"result": "tie", **outcome}
        return {"winner": first, "by": {"runs": target - 1 - score}, **outcome}

    def super_overs(self):
        order = [self.teams[1], self.teams[0]]
        if self.random.random() < 0.3:
            return {"result": "tie"}
        for _ in range(4):
            start = len(self.innings)
            self.bat(order[0], 1, wickets=2, batters=self.random.sample(self.players[order[0]], 3))
            runs = self.totals[start]
            self.bat(order[1], 1, wickets=2, target=runs + 1, batters=self.random.sample(self.players[order[1]], 3))
            for index in (start, start + 1):
                self.innings[index]["super_over"] = True
            if self.totals[start + 1] != runs:
                winner = order[1] if self.totals[start + 1] > runs else order[0]
                return {"result": "tie", "eliminator": winner}
            order.reverse()
        return {"result": "tie"}

    def play_test(self):
        first, second = self.teams
        draws = self.random.random() < 0.2
        self.bat(first, None, declares_at=self.random.choice([None, None, 30, 40]))
        self.bat(second, None, declares_at=self.random.choice([None, None, None, 25]))
        lead = self.totals[0] - self.totals[1]
        follows_on = lead > 20 and self.random.random() < 0.5
        third = second if follows_on else first
        stops = self.random.randint(3, 12) if draws else None
        reason, _, _ = self.bat(third, None, declares_at=None if draws else self.random.choice([None, 30]),
                                stops_at=stops)
        if reason == "stopped":
            return {"result": "draw"}
        behind = (lead - self.totals[2]) if follows_on else -(lead + self.totals[2])
        if follows_on and behind > 0 and reason == "out":
            return {"winner": first, "by": {"innings": 1, "runs": behind}}
        if not follows_on and behind > 0 and reason == "out":
            return {"winner": second, "by": {"innings": 1, "runs": behind}}
        fourth = first if third == second else second
        target = max(1, (self.totals[2] - lead if follows_on else lead + self.totals[2]) + 1)
        _, score, fallen = self.bat(fourth, None, target=target)
        self.innings[3]["target"] = {"runs": target}
        if score >= target:
            return {"winner": fourth, "by": {"wickets": 10 - fallen}}
        if score == target - 1:
            return {"result": "tie"}
        return {"winner": third, "by": {"runs": target - 1 - score}}


def main():
    parser = argparse.ArgumentParser(description="Makes up a match in Cricsheet's JSON.")
    parser.add_argument("seed", type=int)
    json.dump(Match(parser.parse_args().seed).play(), sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
