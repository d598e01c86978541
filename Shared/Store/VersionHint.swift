import Postgres
public import SightscreenModels

/// What `NOTIFY` says of a version: that it was committed. Its row is to be read, as a hint may be lost.
public struct VersionHint: Sendable, Hashable {
    public var match: MatchID
    public var version: MatchVersion

    /// - Parameter payload: "matchId version"; nil for anything else.
    init?(_ payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 2, let match = Int64(parts[0]), let version = Int(parts[1]) else { return nil }
        self.match = MatchID(match)
        self.version = MatchVersion(version)
    }
}

extension ActivityStore {
    /// Every version that is committed anywhere; nil when some may have been missed.
    public func hints() -> AsyncStream<VersionHint?> {
        let notifications = pool.listen([MatchStore.channel])
        return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { output in
            let reading = Task {
                for await notification in notifications {
                    switch notification {
                    case .reconnected: output.yield(nil)
                    case .notified(_, let payload): output.yield(VersionHint(payload))
                    }
                }
                output.finish()
            }
            output.onTermination = { _ in reading.cancel() }
        }
    }
}
