import FoundationEssentials
import Tapes
import Testing

@testable import MockSportMonks

/// What plays is a value that is told the time.
@Suite struct MatchPlayerTests {
    private let now = 1_791_547_200.0

    private func player(speed: Double = 40, lead: Double = 0) throws -> MatchPlayer {
        let data = try #require(FileManager.default.contents(atPath: "\(RunningMock.tapes)/1178424.json"))
        let tape = Tape(match: try CricsheetMatch(json: [UInt8](data)), id: 1_178_424)
        return MatchPlayer(tape: LoadedTape(tape), tapeID: "1178424", speed: speed, lead: lead, now: now)
    }

    @Test func playStartsWhenItIsLoaded() throws {
        var player = try player()
        player.play(at: now)
        #expect(player.cursor == 3, "the first innings is on")
        #expect(player.clock.startsAt == Int(now))
        player.advance(to: now + 0.99)
        #expect(player.cursor == 3)
        player.advance(to: now + 1)
        #expect(player.cursor == 4, "40 seconds of the match have passed")
    }

    @Test func aLeadIsRealTimeAtEverySpeed() throws {
        var player = try player(lead: 60)
        #expect(player.clock.startsAt == Int(now) + 60)
        player.play(at: now)
        #expect(player.cursor == 1, "not started")
        player.advance(to: now + 15)
        #expect(player.cursor == 2, "the toss, half an hour before in the match")
        player.change(speed: 80, at: now + 30)
        player.advance(to: now + 59.9)
        #expect(player.cursor == 2)
        player.advance(to: now + 60)
        #expect(player.cursor == 3)
        #expect(player.clock.time(of: 0) == Int(now) + 60)
    }

    @Test func theStartMovesUntilItBegins() throws {
        var player = try player(lead: 10)
        player.play(at: now + 100)
        #expect(player.clock.startsAt == Int(now) + 110)
        player.pause(at: now + 105)
        player.play(at: now + 205)
        #expect(player.clock.startsAt == Int(now) + 210)
        player.advance(to: now + 215)
        player.pause(at: now + 215)
        player.play(at: now + 300)
        #expect(player.clock.startsAt == Int(now) + 210, "play has begun")
    }

    @Test func whoWindsBackToTheBeginningWaitsNoLongerThanThere() throws {
        var player = try player(lead: 10)
        player.seek(to: 30, at: now)
        player.seek(to: 0, at: now)
        #expect(player.cursor == 1, "not started")
        player.play(at: now + 100)
        player.advance(to: now + 109.9)
        #expect(player.cursor < 3)
        player.advance(to: now + 110)
        #expect(player.cursor == 3, "the first innings is on")
    }

    /// A delay is counted from it, however seldom the provider is asked.
    @Test func knowsWhenItsNewestFrameCame() throws {
        var player = try player()
        #expect(player.shownAt == 0)
        player.play(at: now)
        #expect(player.shownAt == now, "what was due before it played came when it began to")
        let first = Double(player.tape.frame(3).offset)
        let second = Double(player.tape.frame(4).offset)
        player.advance(to: now + first / 40 + 0.25)
        #expect(player.cursor == 4 && abs(player.shownAt - (now + first / 40)) < 0.001)
        player.advance(to: now + second / 40 + 0.1)
        #expect(player.cursor == 5 && abs(player.shownAt - (now + second / 40)) < 0.001)
        player.advance(to: now + second / 40 + 0.2)
        #expect(abs(player.shownAt - (now + second / 40)) < 0.001, "nothing new")
        player.pause(at: now + 50)
        player.step(at: now + 60)
        #expect(player.shownAt == now + 60)
        player.seek(to: 3, at: now + 70)
        #expect(player.shownAt == now + 70)
    }

    @Test func whatIsShownEarlyIsDatedWhenItWasShown() throws {
        var player = try player()
        for second in 0..<6 { player.step(at: now + Double(10 * second)) }
        #expect(player.cursor == 6)
        let offset = player.tape.frame(5).offset
        #expect(player.clock.time(of: offset) == Int(now) + 50)
        #expect(player.clock.time(of: player.tape.frame(4).offset) == Int(now) + 40)
        player.play(at: now + 100)
        player.advance(to: now + 100)
        #expect(player.cursor == 6, "it goes on from there")
        player.advance(to: now + 102.5)
        #expect(player.cursor > 6)
        #expect(player.clock.time(of: offset) <= Int(now) + 100, "the past does not move")
    }

    @Test func aStepWhilePlayingBringsTheClockAlong() throws {
        var player = try player(speed: 1)
        player.play(at: now)
        player.step(at: now + 1)
        #expect(player.cursor == 4 && player.isPlaying)
        player.advance(to: now + 40)
        #expect(player.cursor == 4)
        player.advance(to: now + 41)
        #expect(player.cursor == 5)
    }

    @Test func ballsShareAPollWhenItIsFast() throws {
        var player = try player(speed: 400)
        player.play(at: now)
        player.advance(to: now + 0.5)
        #expect(player.cursor == 8)
    }

    @Test func itEndsAtTheLastFrameAndCanBeWoundBack() throws {
        var player = try player(speed: 1_000_000)
        player.play(at: now)
        player.advance(to: now + 1)
        #expect(player.isOver && !player.isPlaying && !player.isListed)
        player.play(at: now + 2)
        #expect(!player.isPlaying)
        player.seek(to: 10, at: now + 3)
        #expect(player.cursor == 11 && player.isListed)
        #expect(player.clock.time(of: player.tape.frame(10).offset) == Int(now) + 3)
        player.change(speed: 1, at: now + 4)
        player.play(at: now + 5)
        player.advance(to: now + 6)
        #expect(player.cursor == 11)
    }

    @Test func theHourOfALimitBeginsWithTheFirstCall() {
        var limit = CallLimit(calls: 2)
        #expect(limit.take(.livescores, at: 100) == 1)
        #expect(limit.take(.livescores, at: 200) == 0)
        #expect(limit.take(.livescores, at: 3_699) == -1)
        #expect(limit.take(.fixture, at: 3_699) == 1)
        #expect(limit.take(.livescores, at: 3_700) == 1)
        var none = CallLimit(calls: 0)
        #expect(none.take(.livescores, at: 0) == nil)
    }
}
