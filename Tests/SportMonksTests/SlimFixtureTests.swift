import FoundationEssentials
import SightscreenModels
import SportMonks
import Testing

@Suite struct SlimFixtureTests {
    @Test func survivesItsJSON() throws {
        let fixture = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka())
        let bytes = try JSONEncoder().encode(fixture)
        #expect(try JSONDecoder().decode(SlimFixture.self, from: bytes) == fixture)
    }

    @Test func theLastFrameOfALongTestFitsIntoOneMessage() throws {
        var fixture = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka())
        let ball = try #require(fixture.balls.last)
        fixture.balls = (0..<2_700).map { place in
            var next = ball
            next.id = 9_999_990_000_000 + Int64(place)
            next.innings = 1 + place / 700
            next.over = place / 6
            next.strikerID = 2_147_483_647
            next.bowlerID = 2_147_483_646
            next.batterOneID = 2_147_483_645
            next.batterTwoID = 2_147_483_644
            next.outID = 2_147_483_647
            next.catcherID = 2_147_483_643
            return next
        }
        fixture.batting = (0..<44).map { _ in fixture.batting[0] }
        #expect(try JSONEncoder().encode(fixture).count < 600_000)
    }
}
