import SightscreenModels
import Testing

@testable import SightscreenClient

/// A card at one moment of a match, with the longest words that a server may send.
struct CardFixture: CustomTestStringConvertible {
    var name: String
    var state: ContentState
    var testDescription: String { name }

    static let attributes = LiveActivityAttributes(
        matchID: MatchID(7), startID: StartID("s"), home: Team(id: 6, name: "Mumbai Indians", code: "MI"),
        away: Team(id: 2, name: "Chennai Super Kings", code: "CSK"), competition: "Indian Premier League",
        startsAt: 1_800_000_000)

    /// A name, a code and a sentence of the greatest length that `DisplayText` allows, in the widest letters.
    static let longest = (
        name: String(repeating: "W", count: DisplayText.nameMax),
        code: String(repeating: "W", count: DisplayText.codeMax),
        line: Array(repeating: "WWWW", count: 20).joined(separator: " ")
    )
    static let longAttributes = LiveActivityAttributes(
        matchID: MatchID(7), startID: StartID("s"), home: Team(id: 6, name: longest.name, code: longest.code),
        away: Team(id: 2, name: longest.name + "W", code: "MMMMMMMM"), competition: longest.name,
        startsAt: 1_800_000_000)

    static func chase(_ change: (inout ContentState) -> Void = { _ in }) -> ContentState {
        var state = ContentState(
            version: 118, matchDisplayState: .live, matchSentiment: .tense,
            compactLeading: .init(teamAbbr: "MI", score: "87/6"),
            compactTrailing: .init(overs: "12.3", runRate: "6.96"),
            minimal: nil,
            expanded: .init(
                title: "MI v CSK", subtitle: "IPL · Match 12",
                innings: [
                    .init(teamAbbr: "CSK", score: "171", overs: "19.4", allOut: true),
                    .init(teamAbbr: "MI", score: "87/6", overs: "12.3"),
                ],
                batters: [
                    .init(name: "Rohit Sharma", score: "45 (32)", strikeRate: "140.6", onStrike: false),
                    .init(name: "Tim David", score: "4 (3)", strikeRate: "133.3", onStrike: true),
                ], bowler: .init(name: "Deepak Chahar", figures: "3.3-0-27-2", economy: "7.71"),
                recentBalls: ["1", "4", "|", "•", "2", "nb", "1", "W", "4", "|", "•", "wd", "6", "5lb"], target: "172",
                requiredRunRate: "11.33", equation: "MI need 85 off 45",
                lastEvent: .init(kind: .wicket, ball: "12.3", text: "Pollard c Dhoni b Chahar 12 (9)"),
                lastWicket: "Pollard 12 (9) · 87/6 (12.3)", partnership: "0 (0)", status: nil))
        change(&state)
        return state
    }

    static func completed(_ outcome: ContentState.Outcome?, status: String) -> ContentState {
        chase { state in
            state.matchDisplayState = .completed
            state.expanded.batters = []
            state.expanded.bowler = nil
            state.expanded.equation = nil
            state.expanded.requiredRunRate = nil
            state.expanded.lastEvent = .init(kind: .matchResult, text: status)
            state.expanded.lastWicket = nil
            state.expanded.outcome = outcome
            state.expanded.status = status
        }
    }

    static let all: [CardFixture] = [
        CardFixture(name: "before play", state: before { _ in }),
        CardFixture(
            name: "toss", state: before { $0.expanded.status = "Chennai Super Kings won the toss and chose to bat" }),
        CardFixture(
            name: "first ball",
            state: chase { state in
                state.compactLeading = .init(teamAbbr: "CSK", score: "0/0")
                state.compactTrailing = .init(overs: "0.1", runRate: "0.00")
                state.expanded.innings = [.init(teamAbbr: "CSK", score: "0/0", overs: "0.1")]
                state.expanded.equation = nil
                state.expanded.requiredRunRate = nil
                state.expanded.lastEvent = nil
                state.expanded.lastWicket = nil
                state.expanded.recentBalls = ["•"]
            }),
        CardFixture(name: "chase", state: chase()),
        CardFixture(name: "no event", state: chase { $0.expanded.lastEvent = nil }),
        CardFixture(
            name: "innings break",
            state: chase { state in
                state.matchDisplayState = .inningsBreak
                state.compactLeading = .init(teamAbbr: "CSK", score: "171")
                state.expanded.innings = [.init(teamAbbr: "CSK", score: "171", overs: "19.4", allOut: true)]
                state.expanded.status = "Innings break"
                state.expanded.equation = "MI need 172 off 120"
                state.expanded.batters = []
                state.expanded.bowler = nil
            }),
        CardFixture(
            name: "rain",
            state: chase { state in
                state.matchDisplayState = .suspended
                state.expanded.status = "Rain stopped play"
            }),
        CardFixture(
            name: "won", state: completed(.init(winnerAbbr: "CSK", text: "won by 7 runs"), status: "CSK won by 7 runs")),
        CardFixture(
            name: "won by an innings",
            state: completed(
                .init(winnerAbbr: "CSK", text: "won by an innings and 225 runs"),
                status: "CSK won by an innings and 225 runs")),
        CardFixture(name: "tied", state: completed(.init(winnerAbbr: nil, text: "Match tied"), status: "Match tied")),
        CardFixture(
            name: "abandoned",
            state: before { state in
                state.matchDisplayState = .abandoned
                state.expanded.status = "Match abandoned without a ball bowled"
            }),
        CardFixture(
            name: "Test",
            state: chase { state in
                state.compactLeading = .init(teamAbbr: "MI", score: "112/3")
                state.expanded.innings = [
                    .init(teamAbbr: "MI", score: "446", overs: "139.2", allOut: true),
                    .init(teamAbbr: "CSK", score: "374", overs: "133.0", allOut: true),
                    .init(teamAbbr: "MI", score: "112/3", overs: "36.5"),
                ]
                state.expanded.session = "Day 3 · Session 3"
                state.expanded.equation = "MI lead by 184"
                state.expanded.requiredRunRate = nil
            }),
        CardFixture(
            name: "stumps",
            state: chase { state in
                state.compactLeading = .init(teamAbbr: "MI", score: "1112/3")
                state.expanded.innings = [
                    .init(teamAbbr: "CSK", score: "1046", overs: "239.2", allOut: true),
                    .init(teamAbbr: "MI", score: "974", overs: "233.0", allOut: true),
                    .init(teamAbbr: "CSK", score: "1000/9d", overs: "239.2"),
                    .init(teamAbbr: "MI", score: "1112/3", overs: "136.5"),
                ]
                state.expanded.session = "Day 4"
                state.expanded.status = "Day 4: Stumps"
                state.expanded.equation = "MI follow on, trail by 372"
            }),
        CardFixture(name: "super over", state: superOver(5)),
        CardFixture(name: "sixth innings", state: superOver(6)),
        CardFixture(
            name: "of an old server",
            state: chase { $0.expanded.innings[0] = .init(teamAbbr: "CSK", score: "171/10", overs: "19.4") }),
        CardFixture(name: "longest", state: widest { _ in }),
        CardFixture(
            name: "longest in rain",
            state: widest {
                $0.matchDisplayState = .suspended; $0.expanded.status = longest.line
            }),
        CardFixture(
            name: "longest result",
            state: widest { state in
                state.matchDisplayState = .completed
                state.expanded.outcome = .init(winnerAbbr: longest.code, text: longest.line)
            }),
        CardFixture(
            name: "longest Test",
            state: widest {
                $0.expanded.session = longest.line; $0.expanded.status = "Lunch"
            }),
    ]

    static func before(_ change: (inout ContentState) -> Void) -> ContentState {
        chase { state in
            state.matchDisplayState = .scheduled
            state.compactLeading = .init(teamAbbr: "MI", score: "")
            state.compactTrailing = .init(overs: "0.0", runRate: "0.00")
            state.expanded = .init(
                title: "MI v CSK", subtitle: "IPL · Match 12", innings: [], batters: [], bowler: nil, recentBalls: [],
                target: nil, requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil)
            change(&state)
        }
    }

    private static func superOver(_ count: Int) -> ContentState {
        chase { state in
            let innings = [
                ("MI", "176/6", "20.0"), ("CSK", "176/6", "20.0"), ("CSK", "5/2", "1.0"), ("MI", "5/1", "1.0"),
                ("MI", "11/1", "1.0"), ("CSK", "7/0", "0.2"),
            ]
            state.expanded.innings = innings.prefix(count).map { .init(teamAbbr: $0, score: $1, overs: $2) }
            state.compactLeading = .init(teamAbbr: innings[count - 1].0, score: innings[count - 1].1)
            state.expanded.status = "2nd super over"
            state.expanded.equation = count == 6 ? "CSK need 5 off 4" : nil
        }
    }

    private static func widest(_ change: (inout ContentState) -> Void) -> ContentState {
        chase { state in
            let (name, code, line) = longest
            state.compactLeading = .init(teamAbbr: code, score: "1112/3")
            state.compactTrailing = .init(overs: "239.2", runRate: "111.00")
            state.expanded.title = "\(code) v MMMMMMMM"
            state.expanded.subtitle = "\(name) · \(name)"
            state.expanded.innings = [
                .init(teamAbbr: "MMMMMMMM", score: "1046", overs: "239.2", allOut: true),
                .init(teamAbbr: code, score: "1112/3", overs: "239.2"),
            ]
            state.expanded.batters = [true, false].map {
                .init(name: name, score: "400 (582)", strikeRate: "140.6", onStrike: $0)
            }
            state.expanded.bowler = .init(name: name, figures: "73.3-20-227-10", economy: "17.71")
            state.expanded.recentBalls = Array(repeating: "5lb", count: 12)
            state.expanded.equation = "\(code) need 1085 off 1045"
            state.expanded.lastEvent = .init(kind: .wicket, ball: "239.2", text: line)
            state.expanded.lastWicket = line
            state.expanded.partnership = "445 (1032)"
            change(&state)
        }
    }

    var card: MatchCard {
        MatchCard(
            state: state, attributes: name.hasPrefix("longest") ? Self.longAttributes : Self.attributes, isStale: false)
    }
}
