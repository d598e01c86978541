import SightscreenClient
import SightscreenClientTesting
import Synchronization

/// The writes and calls of one process of the app. After its end, code that still runs has no effect.
final class AppLife: APITransport, KeyValueStore {
    private let gateway: ScriptedGateway
    private let store: InMemoryKeyValueStore
    private struct Rest {
        var steps = Int.max
        /// The key whose next write starts the count of steps.
        var after: String?
    }

    private let rest = Mutex(Rest())

    init(_ gateway: ScriptedGateway, _ store: InMemoryKeyValueStore) {
        self.gateway = gateway
        self.store = store
    }

    func end() { rest.withLock { $0 = Rest(steps: 0) } }

    /// Ends the process after this many writes, calls and answers, counted from the next write of `key`.
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
        // The gateway has handled the call, and the app that sent it is gone.
        guard step() else { throw .broken("the app is gone") }
        return answer
    }

    func strings(forKey key: String) -> [String]? { store.strings(forKey: key) }

    func set(_ value: [String]?, forKey key: String) {
        if step(writing: key) { store.set(value, forKey: key) }
    }
}
