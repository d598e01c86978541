import Glibc
import TestKit

/// A Unix socket that is written to byte by byte, for what a well-behaved peer never does.
final class RawSocket {
    private let descriptor: Int32

    /// - Returns: nil when nobody listens.
    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            return nil
        }
        // Waiting must not block one of the few threads that tasks run on.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) { _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Up to `count` bytes; fewer when the connection ends.
    func read(_ count: Int) async throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        try await eventually("\(count) bytes have come") {
            while done < count {
                let got = bytes.withUnsafeMutableBytes {
                    recv(descriptor, $0.baseAddress?.advanced(by: done), count - done, 0)
                }
                if got > 0 { done += got } else { return got == 0 || errno != EAGAIN }
            }
            return true
        }
        return Array(bytes[..<done])
    }

    /// One frame's JSON; empty when the connection ended.
    func readFrame() async throws -> String {
        let head = try await read(4)
        guard head.count == 4 else { return "" }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        return String(decoding: try await read(length), as: UTF8.self)
    }

    /// Waits until the other end has closed the connection; false when it said something first.
    func isEnded() async throws -> Bool { try await read(1).isEmpty }

    static func frame(_ json: String) -> [UInt8] {
        let count = UInt32(json.utf8.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array(json.utf8)
    }

    static func ping(_ number: Int) -> [UInt8] {
        frame(#"{"type":"ping","id":"\#(number)","sentAt":1,"payload":{"number":\#(number),"padding":""}}"#)
    }
}
