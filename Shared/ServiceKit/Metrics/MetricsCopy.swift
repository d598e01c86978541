import NIOConcurrencyHelpers
import NIOCore

/// The text of `/metrics`, which is made again only after a while, so that scrapes cost little however many there are.
final class MetricsCopy: Sendable {
    private struct Copy {
        var text: ByteBuffer
        var madeAt: ContinuousClock.Instant
    }

    private let ageMax: Duration
    private let copy = NIOLockedValueBox<Copy?>(nil)

    init(ageMax: Duration) { self.ageMax = ageMax }

    /// Requests that come at once wait for one text.
    func text(_ make: () -> String) -> ByteBuffer {
        copy.withLockedValue { copy in
            if let copy, .now - copy.madeAt < ageMax { return copy.text }
            let now = ContinuousClock.now
            let text = ByteBuffer(string: make())
            copy = Copy(text: text, madeAt: now)
            return text
        }
    }
}
