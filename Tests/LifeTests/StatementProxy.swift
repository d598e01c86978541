import Glibc
import NIOConcurrencyHelpers
import TestKit

/// Stands between a pool and PostgreSQL, on Unix sockets, and changes the text of statements that pass: so a mistake
/// can be planted in a statement of the product, which knows nothing of it.
///
/// PostgreSQL's protocol, version 3: the first message of a client has no type; then each has a type, a length and a
/// body. `Parse` has the name of the statement before its text, `Query` the text alone.
final class StatementProxy: Sendable {
    private struct State {
        var changed: [String: Int] = [:]
        /// The client's and the server's of each connection, and how many of its two directions still run.
        var pairs: [Int: (client: Int32, server: Int32, running: Int)] = [:]
        var pairsMade = 0
    }

    private let folder: TemporaryDirectory
    private let server: String
    private let listener: Int32
    private let change: @Sendable (String) -> String
    private let state = NIOLockedValueBox(State())

    /// Statements whose text was changed, each counted once.
    var changed: [String] { state.withLockedValue { $0.changed.keys.sorted() } }
    /// Where a pool finds it, in the words of a connection string.
    var host: String { folder.path }

    /// - Parameters:
    ///   - server: the folder of PostgreSQL's socket.
    ///   - change: what becomes of the text of a statement.
    init(server: String, change: @escaping @Sendable (String) -> String) throws {
        (self.server, self.change) = ("\(server)/.s.PGSQL.5432", change)
        folder = try TemporaryDirectory(prefix: "ss-proxy")
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress("\(folder.path)/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0,
            listen(listener, 64) == 0
        else { throw TestSupportError(description: "cannot listen in \(folder.path): \(errno)") }
        Self.detach { [self] in accept() }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        state.withLockedValue { state in
            for pair in state.pairs.values {
                for socket in [pair.client, pair.server] { shutdown(socket, Int32(SHUT_RDWR)) }
            }
        }
    }

    /// Runs what blocks on a thread of its own.
    private static func detach(_ body: @escaping @Sendable () -> Void) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { box in
                Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(Box(body)).toOpaque())
        pthread_detach(thread)
    }

    private func accept() {
        while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
            let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            guard Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
                Glibc.close(client)
                Glibc.close(upstream)
                continue
            }
            let pair = state.withLockedValue { state in
                state.pairsMade += 1
                state.pairs[state.pairsMade] = (client, upstream, 2)
                return state.pairsMade
            }
            Self.detach { [self] in
                forward(from: client, to: upstream, isClient: true)
                ended(pair)
            }
            Self.detach { [self] in
                forward(from: upstream, to: client, isClient: false)
                ended(pair)
            }
        }
    }

    /// The sockets are closed when neither direction uses them any more: their numbers are given to others.
    private func ended(_ number: Int) {
        state.withLockedValue { state in
            state.pairs[number]?.running -= 1
            guard let pair = state.pairs[number], pair.running == 0 else { return }
            state.pairs[number] = nil
            Glibc.close(pair.client)
            Glibc.close(pair.server)
        }
    }

    private func forward(from: Int32, to: Int32, isClient: Bool) {
        var pending: [UInt8] = []
        var isFirst = true
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(from, &buffer, buffer.count), count > 0 {
            guard isClient else {
                guard Self.write(buffer[..<count], to) else { break }
                continue
            }
            pending += buffer[..<count]
            var start = 0
            while let message = Self.message(pending[start...], hasType: !isFirst) {
                guard Self.write(isFirst ? message : changing(message), to) else { break }
                start += message.count
                isFirst = false
            }
            pending.removeFirst(start)
        }
        shutdown(from, Int32(SHUT_RDWR))
        shutdown(to, Int32(SHUT_RDWR))
    }

    /// The first whole message; nil when it has not come yet.
    private static func message(_ bytes: ArraySlice<UInt8>, hasType: Bool) -> ArraySlice<UInt8>? {
        let header = hasType ? 5 : 4
        guard bytes.count >= header else { return nil }
        let length = bytes.dropFirst(header - 4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let whole = length + header - 4
        return bytes.count >= whole ? bytes.prefix(whole) : nil
    }

    private func changing(_ message: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let type = message.first, type == UInt8(ascii: "P") || type == UInt8(ascii: "Q") else { return message }
        let body = message.dropFirst(5)
        let name = type == UInt8(ascii: "P") ? (body.firstIndex(of: 0).map { body[...$0] } ?? []) : []
        let text = body.dropFirst(name.count).prefix { $0 != 0 }
        let before = String(decoding: text, as: UTF8.self)
        let after = change(before)
        guard after != before else { return message }
        state.withLockedValue { $0.changed[before, default: 0] += 1 }
        let new = name + Array(after.utf8) + body.dropFirst(name.count + text.count)
        let length = new.count + 4
        return ([type] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + new)[...]
    }

    private static func write(_ bytes: ArraySlice<UInt8>, _ socket: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = send(socket, bytes.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8) + [0]
        precondition(bytes.count <= MemoryLayout.size(ofValue: address.sun_path), "the path of a socket is too long")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
