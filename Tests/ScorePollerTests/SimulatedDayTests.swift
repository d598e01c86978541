import Cricket
import SightscreenModels
import SportMonks
import Testing

@testable import Detection

@Suite struct SimulatedDayTests {
    @Test(arguments: [false, true])
    func everyKeyAlertIsHeardSoonAndTheMorningsCardsAreThere(isBesideATwenty20: Bool) throws {
        let day = try SimulatedDay(isBesideATwenty20: isBesideATwenty20)
        let versions = try day.poll()
        for match in day.matches.indices {
            let heard = versions[match].compactMap { version in version.change.alert.map { (version.time, $0) } }
            for (time, alert) in try day.told(match) {
                let found = heard.first { $0.1.kind == alert.kind && $0.1.title == alert.title }
                #expect(
                    found.map { (0...15).contains($0.0 - Double(time)) } == true,
                    "\(alert.title) at \(time - SimulatedDay.startsAt) s, heard \(found.map { $0.0 - Double(time) } ?? -1) s later"
                )
            }
        }
        let test = versions[0]
        let kinds = Set(test.compactMap { $0.change.alert?.kind })
        #expect(kinds.isSuperset(of: [.suspended, .resumed, .stumps, .wicket]), "\(kinds)")
        // The end of the day is told with the version that ends its cards.
        let close = try #require(test.first { $0.change.atStumps })
        #expect(close.change.alert?.kind == .stumps)
        // The first card of the second morning.
        let morning = try #require(test.first { $0.time > close.time && !$0.change.atStumps })
        let ball = try #require(
            day.matches[0].first { Double($0.time) > close.time && $0.fixture.phase != .stumps(day: 1) })
        #expect(morning.time + SimulatedDay.orchestratorSeconds - Double(ball.time) < 20)
    }
}
