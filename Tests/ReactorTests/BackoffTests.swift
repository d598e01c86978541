import Reactor
import Testing

@Suite struct BackoffTests {
    /// Always as far as a random number can go.
    private struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    @Test func doublesItsBoundUpToTheMaximumAndStartsAgain() {
        var generator = Highest()
        var backoff = Backoff(initial: .milliseconds(50), maximum: .milliseconds(300))
        let waits = (0..<5).map { _ in backoff.next(using: &generator) }
        #expect(waits.map { ($0 / .milliseconds(1)).rounded() } == [50, 100, 200, 300, 300])
        backoff.reset()
        #expect((backoff.next(using: &generator) / .milliseconds(1)).rounded() == 50)
    }

    @Test func spreadsItsWaitsOverTheWholeBound() {
        var shortest = 1.0
        var longest = 0.0
        for _ in 0..<1000 {
            var backoff = Backoff(initial: .seconds(1), maximum: .seconds(1))
            let wait = backoff.next() / .seconds(1)
            shortest = min(shortest, wait)
            longest = max(longest, wait)
        }
        #expect(shortest >= 0 && shortest < 0.1 && longest > 0.9 && longest <= 1)
    }

    @Test func whatIsLeftToChanceIsSaid() {
        var exact = Backoff(initial: .milliseconds(100), maximum: .milliseconds(400), part: 1...1)
        #expect((0..<4).map { _ in exact.next() } == [100, 200, 400, 400].map { .milliseconds($0) })
        var half = Backoff(initial: .milliseconds(100), maximum: .milliseconds(400), part: 0.5...1)
        for bound in [100, 200, 400] + [Int](repeating: 400, count: 100) {
            let wait = half.next()
            #expect(wait >= .milliseconds(bound) / 2 && wait <= .milliseconds(bound))
        }
    }
}
