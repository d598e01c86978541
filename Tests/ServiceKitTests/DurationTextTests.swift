import ServiceKit
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("5s", Duration.seconds(5)), ("2.5s", .milliseconds(2500)), ("7h45m", .seconds(27_900)),
        ("250ms", .milliseconds(250)),
        ("0s", .zero), ("1h", .seconds(3600)), ("1m30s", .seconds(90)), ("2d", .seconds(172_800)),
        ("0.001s", .milliseconds(1)),
        ("1h0m1s", .seconds(3601)),
    ])
    func reads(_ text: String, _ duration: Duration) {
        #expect(DurationText.parse(text) == duration)
    }

    @Test(arguments: [
        "", "5", "s", "-1s", "+1s", "5 s", "5S", "1s1h", "1s1s", "1.s", ".5s", "1e3s", "5s ", "٥s",
        "99999999999999999h",
        "9000000000s9000000000000ms", "1.1234567890s", "soon",
    ])
    func refuses(_ text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: ["5s", "2.5s", "1.005s", "1m1.25s", "7h45m", "1m250ms", "250ms", "0s", "1h", "48h", "365d"])
    func writesWhatItReads(_ text: String) throws {
        #expect(DurationText.format(try #require(DurationText.parse(text))) == text)
    }
}
