import Cricket
@testable import Detection
import FoundationEssentials
import SightscreenModels
import Testing

@Suite struct WholeMatchTests {
    @Test func theMatchIsShownAsItWasScored() throws {
        let match = try WholeMatch.demo.get()
        var played = Played(match.id)
        for frame in match.frames {
            let snapshot = frame.snapshot
            played.take(snapshot, at: frame.at)
            let state = try #require(played.machine.content)
            // After every frame, overs included: the provider's own totals.
            #expect(state.expanded.innings.map(\.score) == snapshot.innings.map(\.shownScore))
            #expect(state.expanded.innings.map(\.overs) == snapshot.innings.map(\.overs.description))
            #expect(state.expanded.recentBalls.count <= 12)
            guard case .innings = snapshot.phase, snapshot.innings.last?.balls.isEmpty == false else { continue }
            // All out or won: whoever is left. Else two, one of them on strike; after a run out nobody knows which.
            #expect((1...2).contains(state.expanded.batters.count))
            if state.expanded.batters.count == 2 {
                let isKnown = snapshot.innings.last?.balls.last?.howOut != .runOut
                #expect(state.expanded.batters.count(where: \.onStrike) == (isKnown ? 1 : 0))
            }
        }
        let state = try #require(played.state)
        #expect(state.matchDisplayState == .completed)
        #expect(state.expanded.innings.map(\.score) == ["217/5", "210"])
        #expect(state.expanded.innings.map(\.overs) == ["20.0", "19.4"])
        #expect(state.expanded.lastEvent?.kind.known == .matchResult)
        #expect(state.expanded.status?.contains("won by 7 runs") == true)
    }

    @Test func theStrikerIsTheOneWhoFacesTheNextBall() throws {
        let match = try WholeMatch.demo.get()
        var played = Played(match.id)
        let last = try #require(match.frames.last).snapshot
        var right = 0
        var wrong: [String] = []
        for frame in match.frames {
            let snapshot = frame.snapshot
            played.take(snapshot, at: frame.at)
            guard case .innings = snapshot.phase, let innings = snapshot.innings.last, let ball = innings.balls.last,
                let complete = last.innings.first(where: { $0.number == innings.number }),
                let next = complete.balls.first(where: { $0.id > ball.id })
            else { continue }
            let shown = played.machine.content?.expanded.batters.first(where: \.onStrike)?.name
            // After a wicket the next batter's row comes with the next ball.
            guard let shown else { continue }
            let player = last.players[next.strikerID]
            // Of namesakes with their initials.
            if let player, shown.hasSuffix(Surname.of(player.fullName, given: player.lastName)) {
                right += 1
            } else {
                wrong.append("\(innings.number)/\(ball.label): \(shown)")
            }
        }
        #expect(right > 200)
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test func theMatchAlertsOncePerKeyEventAndInPriorityTen() throws {
        let match = try WholeMatch.demo.get()
        var played = Played(match.id)
        played.play(match.frames)
        #expect(Set(played.events.map(\.key)).count == played.events.count)
        for change in played.changes {
            let isLate = change.contentState.expanded.equation.map {
                (Int($0.split(separator: " ").last ?? "") ?? 99) <= 30
            }
            #expect(change.priority == 10 || change.alert == nil && isLate != true)
            #expect(change.retracted.isEmpty)
        }
        #expect(played.events.count { $0.kind == .wicket } == 15)
        #expect(played.events.count { $0.kind == .endOfOver } == 39)
        #expect(played.events.count { $0.kind == .inningsBreak } == 1)
        #expect(played.alerts.count { $0.kind == .matchResult } == 1)
        let alerting = played.events.filter { KeyEventOrder.alerts($0, in: .twenty20) }
        // One frame per ball: what is not the key event of its alert is in the body of the one that is. The result
        // comes after the last wicket, on the same ball.
        #expect(Set(alerting.map { "\($0.innings ?? 0) \($0.ball ?? "")" }).count + 1 == played.alerts.count)
        #expect(played.alerts.count(where: \.sound) == 17)
        #expect(played.alerts.allSatisfy { $0.title.count <= 34 && $0.body.count <= 140 })
    }

    /// With the number of frames left out, so that a Test does not take minutes.
    @Test(
        arguments: [
            (1_178_424, 8), (1_304_066, 12), (1_144_530, 40), (1_216_517, 12), (1_273_750, 12), (392_212, 20),
            (501_255, 12),
        ] as [(Int64, Int)])
    func everyMatchEndsSettledWithoutRepeatingAnEvent(id: Int64, every: Int) throws {
        let match = try WholeMatch(id, every: every)
        var played = Played(match.id)
        played.play(match.frames)
        let later = try #require(match.frames.last).at + MatchTiming().superOverWait + 1
        if let change = played.machine.tick(now: later) { played.changes.append(change) }
        #expect(Set(played.events.map(\.key)).count == played.events.count)
        #expect(played.changes.last?.isSettled == true, "\(played.state?.expanded.status ?? "")")
        #expect(played.events.count { $0.kind == .matchResult } == 1)
    }

    @Test func aMachineFromItsJSONGoesOnAsIfNothingHadHappened() throws {
        let match = try WholeMatch.demo.get()
        var steady = Played(match.id)
        var restarted = Played(match.id)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var largest = 0
        for frame in match.frames {
            let snapshot = frame.snapshot
            steady.take(snapshot, at: frame.at)
            restarted.take(snapshot, at: frame.at)
            let json = try encoder.encode(restarted.machine)
            largest = max(largest, json.count)
            restarted.machine = try JSONDecoder().decode(MatchMachine.self, from: json)
        }
        #expect(restarted.changes == steady.changes)
        #expect(largest < 16_384)
    }

    @Test(arguments: [2, 3, 7, 40])
    func foldedFramesLoseNoEvent(every: Int) throws {
        let match = try WholeMatch.demo.get()
        var clean = Played(match.id)
        clean.play(match.frames)
        var sampled = Played(match.id)
        sampled.play(
            match.frames.enumerated().filter { $0.offset % every == 0 }.map(\.element) + match.frames.suffix(1))
        #expect(Set(sampled.events.map(\.key)) == Set(clean.events.map(\.key)))
        #expect(sampled.state?.expanded.innings == clean.state?.expanded.innings)
        #expect(sampled.alerts.count <= clean.alerts.count)
    }

    @Test func aMatchFirstSeenAfterItsEndAlertsNobody() throws {
        let match = try WholeMatch.demo.get()
        var played = Played(match.id)
        let frame = try #require(match.frames.last)
        played.take(frame.snapshot, at: frame.at + 3_600_000)
        #expect(played.alerts.isEmpty)
        #expect(played.state?.matchDisplayState == .completed)
        #expect(played.state?.expanded.lastEvent?.kind.known == .matchResult)
    }
}
