internal import Glibc

/// Moves bytes between a session and a TLS socket. It belongs to the reactor thread that watches the socket.
final class HTTP2Transport<Session: HTTP2ByteEnd> {
    /// The most plain bytes that wait for the socket. With the unsent bytes in the kernel that makes at most 64 KiB.
    private static var outputBytesMax: Int { 32 * 1024 }

    let descriptor: Int32
    let session: Session
    /// Bytes of the session's output that TLS has accepted, which may have left.
    private(set) var writtenBytes: UInt64 = 0
    /// The socket accepted no more; flush again when it is writable.
    private(set) var isBlocked = false
    private(set) var receivedBytes: UInt64 = 0

    private let tls: TLSStream
    /// The longest stall in nanoseconds after which unsent bytes are still sent; nil for no limit.
    private let stallMax: Int64?
    /// When this thread last ran here, by `MonotonicTime`.
    private var ranAt: Int64 = 0
    private var output: [UInt8] = []
    private var outputStart = 0
    private var input = [UInt8](repeating: 0, count: 16 * 1024)

    init(descriptor: Int32, tls: TLSStream, session: Session, stallMax: Int64? = nil) {
        self.descriptor = descriptor
        self.tls = tls
        self.session = session
        self.stallMax = stallMax
    }

    func handshake() -> TLSStream.Progress { tls.handshake() }

    /// Feeds the session all that has arrived.
    /// - Returns: false when the peer has closed.
    func read() throws(HTTP2Error) -> Bool {
        while true {
            let progress = input.withUnsafeMutableBytes { tls.read(into: $0) }
            switch progress {
            case .done(let count):
                receivedBytes += UInt64(count)
                try feed(count)
            case .wantsRead, .wantsWrite: return true
            case .closed: return false
            case .failed(let reason): throw HTTP2Error(.connection, reason)
            }
        }
    }

    /// Throws when this thread has stalled for longer than `stallMax` with unsent bytes, which may be out of date. It
    /// is to be called at intervals, so that a slow peer is not mistaken for a stall.
    func noteRunning() throws(HTTP2Error) {
        guard let stallMax else { return }
        let now = MonotonicTime.now
        let gap = now - ranAt
        ranAt = now
        guard gap > stallMax, outputStart < output.count else { return }
        throw HTTP2Error(.connection, "this process stood still with requests in its hands")
    }

    /// Writes the session's output, and calls `more` for more work whenever there is none left and there is room.
    /// `more` returns false when it has none.
    func flush(_ more: () -> Bool = { false }) throws(HTTP2Error) {
        try noteRunning()
        while true {
            while output.count - outputStart < Self.outputBytesMax {
                if let bytes = try session.nextOutput() {
                    output.append(contentsOf: bytes)
                } else if !more() {
                    break
                }
            }
            isBlocked = false
            if outputStart == output.count {
                output.removeAll(keepingCapacity: true)
                outputStart = 0
                return
            }
            try noteRunning()
            let progress = output.withUnsafeBytes { tls.write(UnsafeRawBufferPointer(rebasing: $0[outputStart...])) }
            switch progress {
            case .done(let count):
                writtenBytes += UInt64(count)
                outputStart += count
                if outputStart >= Self.outputBytesMax {
                    output.removeSubrange(..<outputStart)
                    outputStart = 0
                }
            case .wantsWrite, .wantsRead:
                isBlocked = true
                return
            case .closed: throw HTTP2Error(.connection, "the peer closed the connection")
            case .failed(let reason): throw HTTP2Error(.connection, reason)
            }
        }
    }

    func close(politely: Bool) {
        if politely { tls.sayGoodbye() }
        Glibc.close(descriptor)
    }

    private func feed(_ count: Int) throws(HTTP2Error) {
        // `input` is not modified while the session reads it, because the session's callbacks only record events.
        let result: Result<Void, HTTP2Error> = input.withUnsafeBytes { bytes in
            do throws(HTTP2Error) {
                try session.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
