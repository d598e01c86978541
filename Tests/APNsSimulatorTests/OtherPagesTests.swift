import TestKit
import Testing

@Suite struct OtherPagesTests {
    @Test func noOtherPageOfABrowserRegistersTokensOrSetsFaults() async throws {
        try await SimulatorUnderTest.run { simulator in
            let problems = try await OtherPages.problems(
                posting:
                    #"{"token":"\#(String(repeating: "ab", count: 32))","kind":"update","environment":"production"}"#,
                to: "\(simulator.control)/tokens", reading: "\(simulator.control)/counts",
                in: simulator.credentials.folder)
            #expect(problems.isEmpty, "\(problems)")
        }
    }
}
