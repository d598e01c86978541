internal import CLinux
internal import Glibc

/// One thread with an epoll loop that is also a `SerialExecutor`. An actor on it may touch handles of C libraries that
/// are bound to sockets (libpq, nghttp2, OpenSSL), and a ready socket enters the actor with `assumeIsolated`, without a
/// hop.
///
/// `@unchecked Sendable`: `jobs` and `stopping` are behind `lock`; everything else is touched on the thread alone.
public final class Reactor: SerialExecutor, @unchecked Sendable {
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let readable = Readiness(rawValue: 1)
        public static let writable = Readiness(rawValue: 2)
        /// The peer hung up or the socket failed: the next read or write says how.
        public static let failed = Readiness(rawValue: 4)
    }

    public typealias TimerID = UInt64

    private struct Watch {
        var generation: UInt32
        var interest: Readiness
        var handler: (Readiness) -> Void
    }

    private struct Timer {
        var due: ContinuousClock.Instant
        var handler: () -> Void
    }

    private let name: String
    private let epoll: Int32
    private let wakeup: Int32
    private var thread = pthread_t()

    private var lock = pthread_mutex_t()
    private var jobs: [UnownedJob] = []
    private var wakeupIsPending = false
    private var stopping = false

    private var watches: [Int32: Watch] = [:]
    private var nextGeneration: UInt32 = 0
    private var timers: [TimerID: Timer] = [:]
    private var nextTimer: TimerID = 1

    public init(name: String) {
        self.name = name
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(epoll >= 0 && wakeup >= 0, "no file descriptors left for a reactor")
        pthread_mutex_init(&lock, nil)
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(UInt32.max)))
        epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event)
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { raw in
                let reactor = Unmanaged<Reactor>.fromOpaque(raw!).takeRetainedValue()
                reactor.loop()
                return nil
            }, context.toOpaque())
        precondition(status == 0, "no thread left for a reactor")
    }

    /// The handles are closed here and not in `stop`: a job that comes after `stop` never runs, but must find what it
    /// touches.
    deinit {
        close(wakeup)
        close(epoll)
        pthread_mutex_destroy(&lock)
    }

    // MARK: - Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        pthread_mutex_lock(&lock)
        jobs.append(unowned)
        // The thread itself looks at its jobs before it waits, so it needs no wake-up.
        let mustWake = !wakeupIsPending && !isOnThread
        if mustWake { wakeupIsPending = true }
        pthread_mutex_unlock(&lock)
        if mustWake { wake() }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() {
        precondition(isOnThread, "not on the thread of reactor \(name)")
    }

    public func isIsolatingCurrentContext() -> Bool? { isOnThread }

    public var isOnThread: Bool { pthread_equal(pthread_self(), thread) != 0 }

    // MARK: - Sockets and timers (on the reactor's thread only)

    /// Calls `handler` whenever the descriptor is ready (level-triggered). A second call replaces the first.
    public func watch(_ descriptor: Int32, for interest: Readiness, _ handler: @escaping (Readiness) -> Void) {
        checkIsolated()
        nextGeneration &+= 1
        let known = watches[descriptor] != nil
        watches[descriptor] = Watch(generation: nextGeneration, interest: interest, handler: handler)
        control(known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, interest, nextGeneration)
    }

    /// Changes what a watched descriptor waits for.
    public func setInterest(_ descriptor: Int32, _ interest: Readiness) {
        checkIsolated()
        guard let watch = watches[descriptor], watch.interest != interest else { return }
        watches[descriptor]?.interest = interest
        control(EPOLL_CTL_MOD, descriptor, interest, watch.generation)
    }

    /// Ends the watch; must be called before the descriptor is closed.
    public func unwatch(_ descriptor: Int32) {
        checkIsolated()
        guard watches.removeValue(forKey: descriptor) != nil else { return }
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// Calls `handler` once, no earlier than `delay` from now, by the monotonic clock.
    @discardableResult
    public func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> TimerID {
        checkIsolated()
        let id = nextTimer
        nextTimer += 1
        timers[id] = Timer(due: .now + delay, handler: handler)
        return id
    }

    public func cancel(_ timer: TimerID) {
        checkIsolated()
        timers[timer] = nil
    }

    /// Ends the thread after the jobs already waiting. Nothing may be enqueued afterwards, so the reactor is stopped
    /// last.
    public func stop() {
        pthread_mutex_lock(&lock)
        stopping = true
        pthread_mutex_unlock(&lock)
        wake()
        if !isOnThread { pthread_join(thread, nil) } else { pthread_detach(thread) }
    }

    // MARK: - Loop

    private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Readiness, _ generation: UInt32) {
        var events: UInt32 = 0
        if interest.contains(.readable) { events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if interest.contains(.writable) { events |= EPOLLOUT.rawValue }
        let tag = UInt64(UInt32(bitPattern: descriptor)) | UInt64(generation) << 32
        var event = epoll_event(events: events, data: epoll_data_t(u64: tag))
        let status = epoll_ctl(epoll, operation, descriptor, &event)
        precondition(status == 0, "epoll refused descriptor \(descriptor): errno \(errno)")
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    private func loop() {
        clinux_name_thread(name)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while true {
            if !runJobs() { break }
            let count = epoll_wait(epoll, &events, 256, waitMilliseconds())
            if count > 0 {
                for index in 0..<Int(count) { dispatch(events[index]) }
            }
            fireTimers()
        }
    }

    /// Runs one batch of jobs. Returns false when the reactor was stopped and nothing is left to run.
    private func runJobs() -> Bool {
        while true {
            pthread_mutex_lock(&lock)
            let batch = jobs
            jobs.removeAll(keepingCapacity: true)
            wakeupIsPending = false
            let ends = stopping && batch.isEmpty
            pthread_mutex_unlock(&lock)
            if ends { return false }
            if batch.isEmpty { return true }
            for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
            // Sockets get their turn after each batch, however many jobs follow.
            return true
        }
    }

    private func waitMilliseconds() -> Int32 {
        pthread_mutex_lock(&lock)
        let busy = !jobs.isEmpty || stopping
        pthread_mutex_unlock(&lock)
        if busy { return 0 }
        guard let due = timers.values.map(\.due).min() else { return -1 }
        let wait = due - .now
        if wait <= .zero { return 0 }
        let (seconds, attoseconds) = wait.components
        // The wait is rounded up, so that a timer never fires early and the loop never spins for the last millisecond.
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: milliseconds)
    }

    private func dispatch(_ event: epoll_event) {
        let tag = event.data.u64
        if tag == UInt64(UInt32.max) {
            var count: UInt64 = 0
            _ = read(wakeup, &count, 8)
            return
        }
        let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: tag))
        // An earlier handler of this round may have closed the descriptor, and another may have got its number.
        guard let watch = watches[descriptor], watch.generation == UInt32(tag >> 32) else { return }
        var readiness: Readiness = []
        if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { readiness.insert(.readable) }
        if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
        if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.failed) }
        watch.handler(readiness)
    }

    private func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = ContinuousClock.now
        let due = timers.filter { $0.value.due <= now }.sorted { $0.value.due < $1.value.due }
        for (id, _) in due {
            // A handler may cancel a later one of the same round.
            timers.removeValue(forKey: id)?.handler()
        }
    }
}
