import Glibc
import TestKit

/// A TCP connection that is written to byte by byte, for what a well-behaved client never does.
final class RawClient {
    struct Answer {
        var status: Int
        var headers: [(name: String, value: String)]
        var body: String

        /// Nothing but a 400, as the decoder says it.
        var isBare: Bool { status == 400 && header("x-request-id") == nil }

        func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
    }

    private let descriptor: Int32
    private(set) var received: [UInt8] = []
    /// The other end has closed the connection.
    private(set) var isClosed = false

    /// - Parameters:
    ///   - source: the address to come from, in "127.0.0.0/8".
    ///   - receiveBuffer: how much the kernel takes for us; nil: as much as it likes.
    init(port: Int, source: String = "127.0.0.1", receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var from = Self.address(source, 0)
        var to = Self.address("127.0.0.1", port)
        let bound = Self.call(&from) { bind(descriptor, $0, $1) }
        let connected = Self.call(&to) { connect(descriptor, $0, $1) }
        // Waiting must not block one of the few threads that tasks run on.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        guard bound == 0, connected == 0 else { throw NotConnected() }
    }

    struct NotConnected: Error {}

    deinit { close(descriptor) }

    private static func address(_ text: String, _ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        return address
    }

    private static func call(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Waits while the other end takes nothing; false when it has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) async throws -> Bool {
        var done = 0
        try await eventually("\(bytes.count) bytes are sent") {
            while done < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done, Int32(MSG_NOSIGNAL))
                }
                guard count >= 0 else { return errno != EAGAIN }
                done += count
            }
            return true
        }
        return done == bytes.count
    }

    @discardableResult
    func send(_ text: String) async throws -> Bool { try await send(Array(text.utf8)) }

    /// Sends nothing more, and still reads.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Takes a little of what is here.
    func takeOnce() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { received += bytes[..<count] }
    }

    /// Takes what is here.
    func take() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count > 0 {
                received += bytes[..<count]
            } else {
                isClosed = isClosed || count == 0 || errno != EAGAIN
                return
            }
        }
    }

    /// Everything until the other end closes.
    func answersUntilClosed() async throws -> [Answer] {
        try await eventually("the connection is closed") {
            take()
            return isClosed
        }
        return answers
    }

    /// - Returns: when as many answers are here, or the connection is closed.
    func answers(_ count: Int) async throws -> [Answer] {
        try await eventually("\(count) answers are here") {
            take()
            return answers.count >= count || isClosed
        }
        return answers
    }

    /// The whole answers among what was received, interim ones too. To HEAD there is no body.
    var answers: [Answer] {
        var answers: [Answer] = []
        var rest = received[...]
        while let end = Self.endOfHead(rest) {
            let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n")
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return answers }
            let headers = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1].dropFirst()) : "")
            }
            var answer = Answer(status: status, headers: headers, body: "")
            let length = isHead ? 0 : answer.header("content-length").flatMap { Int($0) } ?? 0
            guard rest.endIndex - end >= length else { return answers }
            answer.body = String(decoding: rest[end..<(end + length)], as: UTF8.self)
            answers.append(answer)
            rest = rest[(end + length)...]
        }
        return answers
    }

    /// The one request was HEAD.
    var isHead = false

    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= mark.count else { return nil }
        for index in bytes.startIndex...(bytes.endIndex - mark.count)
        where bytes[index] == 13 && bytes[index..<(index + 4)].elementsEqual(mark) {
            return index + 4
        }
        return nil
    }
}
