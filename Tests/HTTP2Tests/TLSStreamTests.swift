import Glibc
import Testing

@testable import HTTP2

@Suite struct TLSStreamTests {
    /// Two ends of TLS over a pair of sockets that hold little.
    private final class Pair {
        let client: TLSStream
        let server: TLSStream
        private let descriptors: [Int32]

        init() async throws {
            let certificates = try await Certificates()
            var pair: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
            for descriptor in pair {
                var size: Int32 = 8_192
                setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
            descriptors = pair
            client = try TLSStream(certificates.client(), descriptor: pair[0], host: "localhost")
            server = try TLSStream(certificates.server(), descriptor: pair[1], host: nil)
            var (clientIsReady, serverIsReady) = (false, false)
            for _ in 0..<100 where !(clientIsReady && serverIsReady) {
                if !clientIsReady, case .done = client.handshake() { clientIsReady = true }
                if !serverIsReady, case .done = server.handshake() { serverIsReady = true }
            }
            try #require(clientIsReady && serverIsReady)
        }

        deinit { for descriptor in descriptors { close(descriptor) } }

        /// What the server gets to read now, at most so many bytes.
        func read(_ most: Int) -> [UInt8] {
            var read: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while read.count < most {
                let count = min(buffer.count, most - read.count)
                let progress = buffer.withUnsafeMutableBytes {
                    server.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<count]))
                }
                guard case .done(let count) = progress else { break }
                read += buffer[..<count]
            }
            return read
        }
    }

    /// Requests behind the bytes that TLS has taken are sent again when a connection is lost: none of them may have
    /// reached the peer.
    @Test func nothingArrivesThatIsNotCalledWritten() async throws {
        let pair = try await Pair()
        var dice = SystemRandomNumberGenerator()
        let bytes = (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &dice) }
        var (written, blocked) = (0, 0)
        var arrived: [UInt8] = []
        while arrived.count < bytes.count {
            // As much at once as `HTTP2Transport` has in its hands at most, and more with each try.
            var isBlocked = false
            while !isBlocked, written < bytes.count {
                let most = min(bytes.count, written + Int.random(in: 20_000...60_000, using: &dice))
                switch bytes[..<most].withUnsafeBytes({
                    pair.client.write(UnsafeRawBufferPointer(rebasing: $0[written...]))
                }) {
                case .done(let count): written += count
                case .wantsWrite: isBlocked = true
                case let other: Issue.record("\(other)")
                }
                if isBlocked { blocked += 1 }
            }
            arrived += pair.read(Int.random(in: 1...20_000, using: &dice))
            try #require(arrived.count <= written, "\(arrived.count) arrived, \(written) were called written")
        }
        #expect(arrived == bytes)
        #expect(blocked > 10)
    }
}
