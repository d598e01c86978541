"""What is known of the 14 matches, and the rules at their edges, against the count of events.py.

    python3 -m unittest discover --start-directory Tests/Oracle
"""

import json
import pathlib
import unittest

import events

MATCHES = pathlib.Path(__file__).parent.parent / "Fixtures" / "matches"


def read(match):
    with open(MATCHES / f"{match}.json", encoding="utf-8") as file:
        return json.load(file)


def where(match, event, **wanted):
    """(innings, ball) of each such event."""
    lines = [line for line in events.events_of(read(match)) if line["event"] == event]
    lines = [line for line in lines if all(line.get(key) == value for key, value in wanted.items())]
    return [(line["innings"], line["ball"]) for line in lines]


class KnownFacts(unittest.TestCase):
    """Facts that the matches are known for."""

    def test_hat_tricks(self):
        expected = {
            392212: [(2, "17.1")],
            1178424: [(1, "1.6")],
            1270836: [(1, "19.6")],
            1273750: [(2, "19.3")],
            1256724: [(2, "19.4"), (2, "19.5")],
            1304076: [(2, "16.6")],
        }
        for match in sorted(int(path.stem) for path in MATCHES.glob("*.json")):
            self.assertEqual(where(match, "hatTrick"), expected.get(match, []), match)

    def test_four_in_four_has_the_values_3_and_4(self):
        self.assertEqual(where(1256724, "hatTrick", value=3), [(2, "19.4")])
        self.assertEqual(where(1256724, "hatTrick", value=4), [(2, "19.5")])

    def test_a_hat_trick_may_spread_over_two_overs(self):
        self.assertEqual(where(392212, "onHatTrick", bowler="RG Sharma"), [(2, "15.6")])
        self.assertEqual(where(392212, "onHatTrick", bowler="RP Singh"), [(2, "1.5")])

    def test_a_broken_streak_starts_again(self):
        self.assertEqual(where(1304076, "onHatTrick", bowler="YS Chahal"), [(2, "16.1"), (2, "16.5")])

    def test_two_wickets_on_one_delivery(self):
        lines = [line for line in events.events_of(read(1384429)) if (line.get("innings"), line.get("ball")) == (1, "24.2")]
        self.assertEqual([line["event"] for line in lines], ["wicket", "wicket", "newBatter"])
        self.assertEqual(lines[0]["playerOut"], "S Samarawickrama")
        self.assertEqual(lines[1], {"innings": 1, "ball": "24.2", "event": "wicket", "playerOut": "AD Mathews"})
        self.assertEqual(lines[2], {"innings": 1, "ball": "24.2", "event": "newBatter", "batter": "DM de Silva"})

    def test_retired_hurt_is_no_wicket_but_brings_a_new_batter(self):
        self.assertEqual(where(1273750, "wicket", playerOut="JJ Roy"), [])
        self.assertEqual(where(1273750, "newBatter", batter="MM Ali"), [(2, "4.1")])

    def test_retired_out_and_obstructing_are_wickets_but_not_the_bowlers(self):
        self.assertEqual(where(1304066, "wicket", playerOut="R Ashwin"), [(1, "18.2")])
        self.assertEqual(where(1426299, "wicket", playerOut="RA Jadeja"), [(2, "15.5")])
        self.assertEqual(where(1304066, "one", batter="R Ashwin").count((1, "18.2")), 0)

    def test_an_over_ended_at_five_ends_on_its_fifth_ball(self):
        overs = where(501255, "endOfOver")
        self.assertIn((2, "9.5"), overs)
        self.assertEqual(sum(innings == 2 for innings, _ in overs), 12)

    def test_a_seventh_legal_ball_ends_no_over(self):
        overs = where(1298152, "endOfOver")
        self.assertIn((1, "8.6"), overs)
        self.assertNotIn((1, "8.7"), overs)
        self.assertEqual(where(1298152, "inningsBreak"), [(1, "8.7")])

    def test_penalty_runs_do_not_change_the_balls_event(self):
        self.assertIn((1, "8.3"), where(1298152, "one"))

    def test_six_runs_without_a_boundary_are_no_six(self):
        self.assertNotIn((2, "49.4"), where(1144530, "six"))
        self.assertIn((2, "49.4"), where(1144530, "extras"))

    def test_run_outs_in_the_final_are_wickets_of_their_balls(self):
        self.assertEqual(where(1144530, "wicket", playerOut="AU Rashid"), [(2, "49.5")])
        self.assertEqual(where(1144530, "wicket", playerOut="MA Wood"), [(2, "49.6")])

    def test_every_innings_but_the_last_has_a_break(self):
        self.assertEqual([innings for innings, _ in where(1216517, "inningsBreak")], [1, 2, 3, 4, 5])
        self.assertEqual(where(1216517, "matchResult"), [(6, "0.4")])
        self.assertEqual([innings for innings, _ in where(426416, "inningsBreak")], [1, 2])

    def test_a_century_fires_its_fifty_and_the_nineties(self):
        self.assertEqual(where(1304076, "milestone", batter="JC Buttler", value=50), [(1, "6.5")])
        self.assertEqual(where(1304076, "nineties", batter="JC Buttler"), [(1, "14.3")])
        self.assertEqual(where(1304076, "milestone", batter="JC Buttler", value=100), [(1, "16.1")])

    def test_big_hundreds_of_the_test(self):
        self.assertEqual(len(where(426416, "milestone", batter="IJL Trott")), 3)
        self.assertEqual(len(where(426416, "milestone", batter="SCJ Broad")), 3)

    def test_the_only_maiden_of_a_twenty20(self):
        self.assertEqual(where(1270836, "maidenOver"), [(2, "3.6")])

    def test_three_maidens_of_the_one_day_match(self):
        self.assertEqual(len(where(1384429, "maidenOver")), 3)

    def test_a_five_wicket_bowler_too_dear_to_be_on_fire(self):
        self.assertEqual(where(1304076, "bowlerOnFire"), [])

    def test_scores_and_results(self):
        expected = {
            392212: (["145/6 20.0", "126/8 20.0"], "Deccan Chargers won by 19 runs"),
            501255: (["89/4 13.0", "105/6 12.3"], "Royal Challengers Bangalore won by 4 wickets"),
            1178424: (["62/7 5.0", "41/1 3.2"], "No result"),
            1216517: (
                ["176/6 20.0", "176/6 20.0", "5/2 1.0", "5/1 1.0", "11/1 1.0", "15/0 0.4"],
                "Match tied (Kings XI Punjab won",
            ),
            1298152: (["79/5 9.0", "51/0 3.0"], "No result"),
            1384429: (["279/10 49.3", "282/7 41.1"], "Bangladesh won by 3 wickets"),
            426416: (["446/10 139.2", "74/10 33.0", "147/10 36.5"], "England won by an innings and 225 runs"),
        }
        for match, (totals, result) in expected.items():
            summary = events.summary_of(read(match))
            found = [f"{row['runs']}/{row['wickets']} {row['overs']}" for row in summary["innings"]]
            self.assertEqual((found, summary["result"]), (totals, result), match)

    def test_every_ball_has_one_event_or_its_wickets(self):
        own = {"dot", "one", "two", "three", "four", "six", "extras"}
        for path in MATCHES.glob("*.json"):
            match = read(path.stem)
            deliveries = out = 0
            for innings in match["innings"]:
                for over in innings["overs"]:
                    for record in over["deliveries"]:
                        deliveries += 1
                        out += bool(events.Delivery(record).wickets)
            lines = events.events_of(match)
            self.assertEqual(sum(line["event"] in own for line in lines) + out, deliveries, path.stem)
            wickets = sum(row["wickets"] for row in events.summary_of(match)["innings"])
            self.assertEqual(sum(line["event"] == "wicket" for line in lines), wickets, path.stem)


def ball(batter="A", non_striker="B", bowler="X", runs=0, wicket=None, non_boundary=False, **extras):
    """One delivery in the data's form; wicket is (kind, player)."""
    record = {
        "batter": batter,
        "non_striker": non_striker,
        "bowler": bowler,
        "runs": {"batter": runs, "extras": sum(extras.values()), "total": runs + sum(extras.values())},
    }
    if non_boundary:
        record["runs"]["non_boundary"] = True
    if extras:
        record["extras"] = extras
    if wicket:
        record["wickets"] = [{"kind": wicket[0], "player_out": wicket[1]}]
    return record


def count(*overs, match_type="T20"):
    """(ball, event) of one innings of these overs."""
    innings = events.Innings(1, match_type)
    lines = innings.count([{"over": number, "deliveries": list(over)} for number, over in enumerate(overs)])
    return [(line.get("ball"), line["event"]) for line in lines]


class Rules(unittest.TestCase):
    """The definitions where they bite."""

    def test_the_event_of_a_ball(self):
        cases = [
            (ball(), "dot"),
            (ball(runs=1), "one"),
            (ball(runs=2), "two"),
            (ball(runs=3), "three"),
            (ball(runs=4), "four"),
            (ball(runs=6), "six"),
            (ball(runs=5), "extras"),
            (ball(runs=4, non_boundary=True), "extras"),
            (ball(byes=4), "extras"),
            (ball(legbyes=1), "extras"),
            (ball(wides=5), "extras"),
            (ball(noballs=1), "extras"),
            (ball(noballs=1, runs=1), "extras"),
            (ball(noballs=1, runs=4), "four"),
            (ball(noballs=1, runs=6), "six"),
            (ball(penalty=5), "dot"),
            (ball(penalty=5, runs=2), "two"),
            (ball(runs=1, wicket=("run out", "B")), "wicket"),
            (ball(wides=1, wicket=("stumped", "A")), "wicket"),
            (ball(runs=1, wicket=("retired hurt", "A")), "one"),
        ]
        for delivery, event in cases:
            self.assertEqual(count([delivery])[0][1], event, delivery)

    def test_a_wide_has_the_label_of_the_ball_that_replaces_it(self):
        self.assertEqual([label for label, _ in count([ball(), ball(wides=1), ball(), ball(noballs=1)])],
                         ["0.1", "0.2", "0.2", "0.3"])

    def test_a_wide_or_a_run_out_breaks_a_streak_and_a_stumping_off_a_wide_extends_it(self):
        out = ("bowled", "A")
        streak = lambda *deliveries: [event for _, event in count(deliveries) if "attrick" in event.lower()]
        self.assertEqual(streak(ball(wicket=out), ball("C", wicket=("bowled", "C"))), ["onHatTrick"])
        self.assertEqual(streak(ball(wicket=out), ball("C", wides=1), ball("C", wicket=("bowled", "C"))), [])
        self.assertEqual(streak(ball(wicket=out), ball("C", wicket=("run out", "C"))), [])
        self.assertEqual(
            streak(ball(wicket=out), ball("C", wicket=("bowled", "C")), ball("D", wides=1, wicket=("stumped", "D"))),
            ["onHatTrick", "hatTrick"])

    def test_another_bowlers_balls_do_not_touch_a_streak(self):
        first = [ball()] * 5 + [ball(wicket=("bowled", "A"))]
        other = [ball("C", bowler="Y")] * 6
        self.assertIn(("2.1", "onHatTrick"), count(first, other, [ball("C", wicket=("lbw", "C"))]))

    def test_a_maiden_needs_six_legal_balls_of_one_bowler_and_no_run_of_theirs(self):
        dots = [ball()] * 5
        is_maiden = lambda *overs: "maidenOver" in [event for _, event in count(*overs)]
        self.assertTrue(is_maiden(dots + [ball()]))
        self.assertTrue(is_maiden(dots + [ball(byes=2)]))
        self.assertTrue(is_maiden(dots + [ball(penalty=5)]))
        self.assertTrue(is_maiden(dots + [ball(), ball(runs=4)]))
        self.assertFalse(is_maiden(dots + [ball(runs=1)]))
        self.assertFalse(is_maiden(dots + [ball(noballs=1), ball()]))
        self.assertFalse(is_maiden(dots + [ball(bowler="Y")]))
        self.assertFalse(is_maiden(dots, dots))

    def test_an_over_ends_at_its_sixth_ball_or_when_the_next_starts(self):
        ends = lambda *overs: [label for label, event in count(*overs) if event == "endOfOver"]
        self.assertEqual(ends([ball()] * 6), ["0.6"])
        self.assertEqual(ends([ball()] * 7), ["0.6"])
        self.assertEqual(ends([ball()] * 5), [])
        self.assertEqual(ends([ball()] * 5, [ball()]), ["0.5"])

    def test_a_batter_on_fire_has_faced_fifteen_balls_at_two_hundred(self):
        fire = lambda *deliveries: [label for label, event in count(deliveries) if event == "batterOnFire"]
        twos = [ball(runs=2)]
        self.assertEqual(fire(*twos * 14), [])
        self.assertEqual(fire(*twos * 16), ["0.15"])
        self.assertEqual(fire(*(twos * 14 + [ball()])), [])
        self.assertEqual(fire(*(twos * 14 + [ball(wides=1)] + twos)), ["0.15"])

    def test_a_bowler_on_fire_is_judged_at_a_wicket_by_the_format(self):
        def spell(runs, match_type):
            overs = [[ball(runs=runs)] + [ball()] * 5, [ball()] * 3 + [
                ball("A", wicket=("bowled", "A")), ball("C", wicket=("run out", "C")), ball("D", wicket=("lbw", "D"))],
                [ball("E", wicket=("caught", "E"))]]
            return [label for label, event in count(*overs, match_type=match_type) if event == "bowlerOnFire"]
        # 13 legal balls: 6.0 an over allows 13 runs, 3.0 allows 6.5.
        self.assertEqual(spell(6, "T20"), ["2.1"])
        self.assertEqual(spell(6, "Test"), ["2.1"])
        self.assertEqual(spell(7, "Test"), [])
        self.assertEqual(spell(9, "ODI"), ["2.1"])
        self.assertEqual(spell(10, "ODI"), [])

    def test_sixes_in_a_row_are_of_balls_faced(self):
        six = ball(runs=6)
        run = lambda *deliveries: [label for label, event in count(deliveries) if event == "consecutiveSixes"]
        self.assertEqual(run(six, six, six, six), ["0.3", "0.4"])
        self.assertEqual(run(six, six, ball(wides=1), six), ["0.3"])
        self.assertEqual(run(six, six, ball("B", "A"), six), ["0.4"])
        self.assertEqual(run(six, six, ball(noballs=1), six), [])
        self.assertEqual(run(six, six, ball(runs=6, non_boundary=True), six), [])

    def test_who_returns_after_an_injury_is_not_new(self):
        played = count([ball(wicket=("retired hurt", "A")), ball("C", wicket=("bowled", "C")), ball("A"), ball("A")])
        self.assertEqual([label for label, event in played if event == "newBatter"], ["0.1"])

    def test_the_order_of_the_events_of_one_ball(self):
        spell = [ball("B", "A", wicket=None, byes=1)] * 4
        deliveries = spell + [ball("C", "D", wicket=("bowled", "C")), ball("E", "D", wicket=("bowled", "E")), ball("F", "D")]
        last = [event for label, event in count(deliveries) if label == "0.6"]
        self.assertEqual(last, ["wicket", "onHatTrick", "endOfOver", "maidenOver", "newBatter"])


if __name__ == "__main__":
    unittest.main()
