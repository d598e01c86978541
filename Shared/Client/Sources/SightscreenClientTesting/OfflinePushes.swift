/// The pushes that APNs keeps for an offline phone: the newest of each topic.
struct OfflinePushes: Sendable {
    private var kept: [String: RawPush] = [:]

    /// - Returns: false when the push is not to be kept.
    mutating func keep(_ push: RawPush) -> Bool {
        guard push.expiration != 0 else { return false }
        kept[push.topic] = push
        return true
    }

    /// Returns all kept pushes and removes them.
    mutating func take() -> [RawPush] {
        defer { kept = [:] }
        return kept.sorted { $0.key < $1.key }.map(\.value)
    }
}
