/// Whether a request is let in.
enum RateOutcome: Hashable, Sendable {
    case admitted
    /// The request is refused with 429; `retryAfter` is the header's value, whole seconds, rounded up.
    case refused(retryAfter: Int, by: RateLimit.Name)

    /// - Parameter wait: nanoseconds; zero or less admits.
    init(wait: Int64, by name: RateLimit.Name) {
        self = wait <= 0 ? .admitted : .refused(retryAfter: Int((wait - 1) / 1_000_000_000) + 1, by: name)
    }
}
