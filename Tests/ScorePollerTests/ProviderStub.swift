import Synchronization
import TestKit

/// A provider that answers as a test says and keeps what was asked.
final class ProviderStub: Sendable {
    typealias Answer = StubHTTPServer.Answer

    private final class Asked: Sendable {
        let targets = Mutex<[String]>([])
    }

    private let server: StubHTTPServer
    private let asked: Asked

    /// - Parameter answer: gets the path with its query and how many calls came before; nil breaks the connection. It
    ///   may take its time.
    init(_ answer: @escaping @Sendable (_ target: String, _ number: Int) -> Answer?) throws {
        let asked = Asked()
        self.asked = asked
        server = try StubHTTPServer { request in
            let number = asked.targets.withLock { targets in
                targets.append(request.target)
                return targets.count - 1
            }
            return answer(request.target, number)
        }
    }

    var port: Int { server.port }

    /// Paths with their queries, in the order asked.
    var targets: [String] { asked.targets.withLock { $0 } }

    func calls(_ path: String) -> Int { targets.count { $0.hasPrefix(path) } }

    func stop() { server.stop() }
}
