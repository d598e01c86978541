import Glibc

/// Writes lines to a descriptor from a thread of its own, so that logging never waits for the reader. When the reader
/// stops reading, lines that do not fit into the queue are dropped and counted.
final class LogWriter: @unchecked Sendable {  // All state is guarded by `mutex`, which never moves.
    /// The most lines in the queue: a few seconds of a service that logs every line it can; 4 MiB with lines of 1 KiB.
    static let linesWaitingMax = 4096
    /// The longest line in bytes; longer lines are cut.
    static let lineBytesMax = 16_384

    private let descriptor: Int32
    private let onDropped: @Sendable (Int) -> Void
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [[UInt8]] = []
    private var isWriting = false
    private var droppedSinceLastLine = 0
    private var isThreadStarted = false

    /// A writer lives as long as its process.
    /// - Parameter onDropped: called with the number of lines that were dropped, on the thread that logged; it must not
    ///   log.
    init(descriptor: Int32, onDropped: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.descriptor = descriptor
        self.onDropped = onDropped
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    /// Adds a line to the queue; never blocks.
    /// - Parameter line: the line without its line feed.
    func write(_ line: String) {
        var bytes = Array(line.utf8.prefix(Self.lineBytesMax))
        bytes.append(UInt8(ascii: "\n"))
        pthread_mutex_lock(mutex)
        let fits = waiting.count < Self.linesWaitingMax
        if fits {
            if droppedSinceLastLine > 0 {
                waiting.append(Array("(\(droppedSinceLastLine) log lines were dropped here: nobody read them)\n".utf8))
                droppedSinceLastLine = 0
            }
            waiting.append(bytes)
            startThread()
            pthread_cond_broadcast(changed)
        } else {
            droppedSinceLastLine += 1
        }
        pthread_mutex_unlock(mutex)
        if !fits { onDropped(1) }
    }

    /// Waits until everything is written, at most `seconds`. It is called before the process ends.
    func flush(seconds: Double) {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(seconds * 1e9)
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !waiting.isEmpty || isWriting {
            if pthread_cond_timedwait(changed, mutex, &deadline) != 0 { return }
        }
    }

    private func startThread() {
        guard !isThreadStarted else { return }
        isThreadStarted = true
        var thread = pthread_t()
        let me = Unmanaged.passRetained(self).toOpaque()
        let failed = pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<LogWriter>.fromOpaque(pointer).takeUnretainedValue().loop() }
                return nil
            }, me)
        precondition(failed == 0, "no thread for the log: \(String(cString: strerror(failed)))")
        pthread_detach(thread)
    }

    private func loop() -> Never {
        while true {
            pthread_mutex_lock(mutex)
            while waiting.isEmpty { pthread_cond_wait(changed, mutex) }
            let lines = waiting
            waiting = []
            isWriting = true
            pthread_mutex_unlock(mutex)
            // One call writes all lines that arrived during the last one.
            put(lines.count == 1 ? lines[0] : Array(lines.joined()))
            pthread_mutex_lock(mutex)
            isWriting = false
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
    }

    /// Writes the bytes and blocks while the pipe is full. Bytes that cannot be written at all (a closed pipe, a full
    /// disk) are dropped.
    private func put(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if count > 0 {
                start += count
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, 1000)
            } else if errno != EINTR {
                return
            }
        }
    }
}
