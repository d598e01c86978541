import Postgres
import SightscreenModels
package import Store

extension ActivityStore {
    /// Yields every version that is committed on any host, and nil when some may have been missed.
    package func hints() -> AsyncStream<VersionHint?> {
        let notifications = pool.listen([VersionHint.channel])
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
