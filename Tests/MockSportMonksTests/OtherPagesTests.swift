import HTTPClient
import TestKit
import Testing

@Suite struct OtherPagesTests {
    @Test func noOtherPageOfABrowserMovesTheWorld() async throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        try await RunningMock.with { mock in
            let problems = try await OtherPages.problems(
                posting: #"{"kind":"429"}"#, to: "\(mock.base)/control/faults", reading: "\(mock.base)/control/tapes",
                in: folder.path)
            #expect(problems.isEmpty, "\(problems)")
            // Removing needs no body, and a page must ask before it may.
            let emptied = try await mock.control("DELETE", "faults")
            #expect(emptied.status == 204)
        }
    }
}
