internal import Glibc

/// Moves bytes between a session and a TLS socket. It belongs to the reactor thread that watches the socket.
final class HTTP2Transport<Session: HTTP2ByteEnd> {
    /// Plain bytes that wait for the socket; with what the kernel holds unsent at most 64 KiB.
    private static var outputBytesMax: Int { 32 * 1024 }

    let descriptor: Int32
    let session: Session
    /// Bytes of the session's output that TLS has taken: those may have left.
    private(set) var writtenBytes: UInt64 = 0
    /// The socket took no more: flush again when it is writable.
    private(set) var isBlocked = false
    private(set) var receivedBytes: UInt64 = 0

    private let tls: TLSStream
    /// Nanoseconds after which what was not sent never is; nil: no such time.
    private let standstillMax: Int64?
    /// When this thread was last seen to run, by `MonotonicTime`.
    private var ranAt: Int64 = 0
    private var output: [UInt8] = []
    private var outputStart = 0
    private var input = [UInt8](repeating: 0, count: 16 * 1024)

    init(descriptor: Int32, tls: TLSStream, session: Session, standstillMax: Int64? = nil) {
        self.descriptor = descriptor
        self.tls = tls
        self.session = session
        self.standstillMax = standstillMax
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

    /// Throws when this thread has stood still for long with bytes in its hands: they were right when they were made. To be
    /// called now and then, so that a peer that takes its time is not mistaken for that.
    func noteRunning() throws(HTTP2Error) {
        guard let standstillMax else { return }
        let now = MonotonicTime.now
        let gap = now - ranAt
        ranAt = now
        guard gap > standstillMax, outputStart < output.count else { return }
        throw HTTP2Error(.connection, "this process stood still with requests in its hands")
    }

    /// Writes what the session has, asking `more` for more work whenever it has nothing left and there is room.
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
        // `input` is not touched while the session reads it: its callbacks only note events.
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
