import Glibc
import Synchronization
import Tokens

/// An issuer on a free port that publishes what a test says, well or badly, and keeps what it was asked for.
final class FakeIssuer: Sendable {
    enum Behaviour: Sendable, Equatable {
        case answer(status: Int = 200, headers: [String] = [], body: String)
        /// Ten million bytes of white space, which would be JSON with a document after them.
        case endless
        /// A byte now and then, for ever.
        case dripping
        /// Nothing until there is another behaviour, which then is the answer.
        case holding
        /// The connection breaks.
        case broken

        static func keys(_ members: String...) -> Behaviour {
            .answer(body: "{\"keys\":[\(members.joined(separator: ","))]}")
        }
    }

    static let path = "/pool/.well-known/jwks.json"

    let port: Int
    private let listener: Int32
    private let state: Mutex<(behaviour: Behaviour, targets: [String])>

    init(_ behaviour: Behaviour) throws {
        state = Mutex((behaviour, []))
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw NoSocket() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Self.onThread { self.serve() }
    }

    struct NoSocket: Error {}

    var url: String { "http://127.0.0.1:\(port)\(Self.path)" }
    /// The paths, in the order asked.
    var targets: [String] { state.withLock { $0.targets } }
    var fetches: Int { targets.count }

    func behaviour(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    func stop() {
        behaviour(.broken)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// A member of a key set as Cognito writes them.
    static func member(_ signer: RS256Signer, id: String? = nil) -> String {
        signer.jwk.replacing(signer.keyID, with: id ?? signer.keyID)
    }

    // MARK: -

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(Work(body)).toOpaque())
        pthread_detach(thread)
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            Self.onThread {
                self.serve(connection)
                close(connection)
            }
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            request += buffer[..<count]
        }
        let target = String(String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first ?? "")
        state.withLock { $0.targets.append(target) }
        while state.withLock({ $0.behaviour }) == .holding { usleep(2_000) }
        switch state.withLock({ $0.behaviour }) {
        case .answer(let status, let headers, let body):
            let lines = ["HTTP/1.1 \(status) x", "content-length: \(body.utf8.count)", "connection: close"] + headers
            send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, connection)
        case .endless:
            send("HTTP/1.1 200 x\r\ncontent-length: 10000000\r\n\r\n", connection)
            for _ in 0..<1_000 where !send(String(repeating: " ", count: 10_000), connection) { return }
        case .dripping:
            send("HTTP/1.1 200 x\r\ncontent-length: 1000\r\n\r\n", connection)
            while send(" ", connection) { usleep(20_000) }
        case .holding, .broken: return
        }
    }

    @discardableResult
    private func send(_ text: String, _ connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
