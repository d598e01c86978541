import Glibc

/// An HTTP server on a free port of this machine that answers as a test says. Each call has a connection and a thread
/// of its own, so an answer may take its time.
public final class StubHTTPServer: Sendable {
    public struct Request: Sendable {
        public var method: String
        /// The path with its query.
        public var target: String
        public var body: [UInt8]
    }

    public struct Answer: Sendable {
        public var status: Int
        /// Whole lines.
        public var headers: [String]
        public var body: String

        public init(status: Int = 200, headers: [String] = [], body: String = "") {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    public struct NoSocket: Error { public init() {} }

    public let port: Int
    public var url: String { "http://127.0.0.1:\(port)" }
    private let listener: Int32
    private let answer: @Sendable (Request) -> Answer?

    /// - Parameter answer: nil breaks the connection.
    public init(_ answer: @escaping @Sendable (Request) -> Answer?) throws {
        self.answer = answer
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw NoSocket() }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Self.inThread { self.accept() }
    }

    public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { break }
            Self.inThread {
                self.serve(connection)
                close(connection)
            }
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let request = Self.request(bytes) {
                if let answer = answer(request) { Self.send(answer, connection) }
                return
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer[..<count]
        }
    }

    /// Nil while it is not whole.
    private static func request(_ bytes: [UInt8]) -> Request? {
        let blank = Array("\r\n\r\n".utf8)
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: blank) }) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        let line = lines.first { $0.lowercased().hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.split(separator: ":")[1].drop { $0 == " " }) } ?? 0
        let body = bytes[(end + blank.count)...]
        guard words.count > 1, body.count >= length else { return nil }
        return Request(method: String(words[0]), target: String(words[1]), body: Array(body.prefix(length)))
    }

    private static func send(_ answer: Answer, _ connection: Int32) {
        let lines =
            ["HTTP/1.1 \(answer.status) x", "content-length: \(answer.body.utf8.count)", "connection: close"]
            + answer.headers
        let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + answer.body).utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            sent += count
        }
    }

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func inThread(_ body: @escaping @Sendable () -> Void) {
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
}
