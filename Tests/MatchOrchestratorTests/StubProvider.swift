import Glibc
import Synchronization

/// An HTTP server on a free port that gives prepared answers in turn, the last one for ever, and keeps what was asked.
final class StubProvider: Sendable {
    struct Answer: Sendable {
        var status = 200
        var body: String
    }

    let port: Int
    private let listener: Int32
    private let state: Mutex<(answers: [Answer], targets: [String])>

    init(_ answers: [Answer]) throws {
        state = Mutex((answers, []))
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw POSIXFailure() }
        port = Int(UInt16(bigEndian: address.sin_port))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<StubProvider>.fromOpaque(raw).takeRetainedValue().serve()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    struct POSIXFailure: Error {}

    /// Paths with their queries, in the order asked.
    var targets: [String] { state.withLock { $0.targets } }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            answer(connection)
            close(connection)
        }
        close(listener)
    }

    private func answer(_ connection: Int32) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            request += buffer[..<count]
        }
        let target = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first ?? ""
        let answer = state.withLock { state in
            state.targets.append(String(target))
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        let head =
            "HTTP/1.1 \(answer.status) x\r\ncontent-length: \(answer.body.utf8.count)\r\nconnection: close\r\n\r\n"
        let bytes = Array((head + answer.body).utf8)
        _ = write(connection, bytes, bytes.count)
    }
}
