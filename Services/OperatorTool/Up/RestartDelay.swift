/// How long a service that died waits before it is started again: 0.1 s, doubled at each death up to 5 s; a service
/// that lived for ten seconds starts over.
struct RestartDelay: Sendable {
    static let first = Duration.milliseconds(100)
    static let longest = Duration.seconds(5)
    static let healthyAfter = Duration.seconds(10)

    private var next = first

    mutating func afterDeath(havingLived life: Duration) -> Duration {
        if life >= Self.healthyAfter { next = Self.first }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
