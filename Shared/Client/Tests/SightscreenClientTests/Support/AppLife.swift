import SightscreenClient
import SightscreenClientTesting
import Synchronization

/// What one process of the app writes and sends. After its end nothing of it has any effect, whatever still runs.
final class AppLife: APITransport, KeyValueStore {
    private let gateway: ScriptedGateway
    private let store: InMemoryKeyValueStore
    private struct Rest {
        var steps = Int.max
        /// They are counted from the next time that this is written.
        var after: String?
    }

    private let rest = Mutex(Rest())

    init(_ gateway: ScriptedGateway, _ store: InMemoryKeyValueStore) {
        self.gateway = gateway
        self.store = store
    }

    func end() { rest.withLock { $0 = Rest(steps: 0) } }

    /// So many writes, calls and answers after the next write of `key`, and it is over.
    func end(after steps: Int, sinceWriting key: String) { rest.withLock { $0 = Rest(steps: steps, after: key) } }

    var isOver: Bool { rest.withLock { $0.steps == 0 && $0.after == nil } }

    private func step(writing key: String? = nil) -> Bool {
        rest.withLock { rest in
            if let after = rest.after {
                if after == key { rest.after = nil }
                return true
            }
            guard rest.steps > 0 else { return false }
            if rest.steps < .max { rest.steps -= 1 }
            return true
        }
    }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        guard step() else { throw .offline }
        let answer = try await gateway.send(request)
        // The gateway has done it, and nobody is there to hear so.
        guard step() else { throw .broken("the app is gone") }
        return answer
    }

    func strings(forKey key: String) -> [String]? { store.strings(forKey: key) }

    func set(_ value: [String]?, forKey key: String) {
        if step(writing: key) { store.set(value, forKey: key) }
    }
}
