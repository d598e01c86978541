import Glibc
import Synchronization

/// An HTTP server on a free port that answers as a test says and keeps what was asked.
final class ProviderStub: Sendable {
    struct Answer: Sendable {
        var status = 200
        var headers: [String] = []
        var body = ""
    }

    let port: Int
    private let listener: Int32
    private let answer: @Sendable (_ target: String, _ number: Int) -> Answer?
    private let asked = Mutex<[String]>([])

    /// - Parameter answer: gets the path with its query and how many calls came before; nil breaks the connection. It may
    ///   take its time: each call has a thread of its own.
    init(_ answer: @escaping @Sendable (_ target: String, _ number: Int) -> Answer?) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw NoSocket() }
        port = Int(UInt16(bigEndian: address.sin_port))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<ProviderStub>.fromOpaque(raw).takeRetainedValue().serve()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    struct NoSocket: Error {}

    /// Paths with their queries, in the order asked.
    var targets: [String] { asked.withLock { $0 } }

    func calls(_ path: String) -> Int { targets.count { $0.hasPrefix(path) } }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { raw in
                    guard let raw else { return nil }
                    let call = Unmanaged<Call>.fromOpaque(raw).takeRetainedValue()
                    call.stub.serve(call.connection)
                    close(call.connection)
                    return nil
                }, Unmanaged.passRetained(Call(stub: self, connection: connection)).toOpaque())
            pthread_detach(thread)
        }
        close(listener)
    }

    private final class Call {
        let stub: ProviderStub
        let connection: Int32

        init(stub: ProviderStub, connection: Int32) {
            self.stub = stub
            self.connection = connection
        }
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
        let number = asked.withLock { asked in
            asked.append(target)
            return asked.count - 1
        }
        guard let answer = answer(target, number) else { return }
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
}
