/// The limits of the interval that the gateway asks for: a wrong number neither drains a battery nor leaves a view
/// without updates.
public enum PollInterval {
    public static let leastMs = 1_000
    public static let mostMs = 300_000
    /// The interval as long as the gateway has named none: that of a match in play.
    public static let unknownMs = 5_000

    public static func clamped(_ retryAfterMs: Int?) -> Int {
        guard let retryAfterMs else { return unknownMs }
        return min(max(retryAfterMs, leastMs), mostMs)
    }
}
