import TestKit
import Testing

/// The tests' own way to wait.
@Suite struct EventuallyTests {
    @Test func aLimitThatPassesWhileNothingRunsIsNoFailure() async throws {
        var looks = 0
        try await eventually("the fourth look", within: .seconds(1)) {
            looks += 1
            // A busy machine: the first look takes as long as the limit.
            if looks == 1 { try await Task.sleep(for: .seconds(1)) }
            return looks == 4
        }
    }

    @Test func whatNeverHappensIsToldWithItsLastError() async {
        struct Trouble: Error, CustomStringConvertible { let description = "the reason" }
        let error = await #expect(throws: TestSupportError.self) {
            try await eventually("the impossible", within: .milliseconds(50)) { throw Trouble() }
        }
        #expect(error?.description.hasSuffix("the impossible: the reason") == true)
    }
}
