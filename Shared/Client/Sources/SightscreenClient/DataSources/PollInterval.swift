/// The gateway says when to ask again. It is believed within reason: a wrong number neither drains a battery nor leaves a
/// view standing still.
public enum PollInterval {
    public static let leastMs = 1_000
    public static let mostMs = 300_000
    /// As long as nothing has been heard: what a match in play gets.
    public static let unknownMs = 5_000

    public static func clamped(_ retryAfterMs: Int?) -> Int {
        guard let retryAfterMs else { return unknownMs }
        return min(max(retryAfterMs, leastMs), mostMs)
    }
}
