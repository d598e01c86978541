import Synchronization
import TestKit

/// A provider that gives prepared answers in turn, the last one for ever, and keeps what was asked.
final class StubProvider: Sendable {
    typealias Answer = StubHTTPServer.Answer

    private final class State: Sendable {
        let answers: Mutex<[Answer]>
        let targets = Mutex<[String]>([])
        init(_ answers: [Answer]) { self.answers = Mutex(answers) }
    }

    private let server: StubHTTPServer
    private let state: State

    init(_ answers: [Answer]) throws {
        let state = State(answers)
        self.state = state
        server = try StubHTTPServer { request in
            state.targets.withLock { $0.append(request.target) }
            return state.answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    var port: Int { server.port }

    /// Paths with their queries, in the order asked.
    var targets: [String] { state.targets.withLock { $0 } }

    func stop() { server.stop() }
}
