/// What APNs keeps for a phone that is away: one push for each topic, the newest.
struct OfflinePushes: Sendable {
    private var kept: [String: RawPush] = [:]

    /// - Returns: false when it is not to be kept.
    mutating func keep(_ push: RawPush) -> Bool {
        guard push.expiration != 0 else { return false }
        kept[push.topic] = push
        return true
    }

    /// All of them, and none is left.
    mutating func take() -> [RawPush] {
        defer { kept = [:] }
        return kept.sorted { $0.key < $1.key }.map(\.value)
    }
}
