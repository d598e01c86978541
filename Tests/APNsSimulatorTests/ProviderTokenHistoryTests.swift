import Testing

@testable import APNsSimulator

struct ProviderTokenHistoryTests {
    @Test func oneNewTokenInTwentyMinutesIsTaken() {
        var history = ProviderTokenHistory()
        #expect(history.refusal(of: "a", now: 0) == nil)
        #expect(history.refusal(of: "a", now: 10) == nil)
        #expect(history.refusal(of: "b", now: 1_199) == .tooManyProviderTokenUpdates)
        #expect(history.refusal(of: "a", now: 1_199) == nil)
        #expect(history.refusal(of: "b", now: 1_200) == nil)
        #expect(history.refusal(of: "a", now: 1_300) == .tooManyProviderTokenUpdates)
    }
}
