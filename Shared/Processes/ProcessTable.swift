internal import CLinux
internal import Glibc
package import Reactor

/// Starts programs and waits for them. It runs on a reactor's thread, because Linux ties the parent-death signal to the
/// thread that forked, and that thread must therefore last.
public actor ProcessTable {
    private nonisolated let reactor: Reactor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private struct Child {
        var pidfd: Int32
        var waiting: [CheckedContinuation<ExitStatus, Never>] = []
    }

    private var children: [Int32: Child] = [:]
    private var ended: [Int32: ExitStatus] = [:]

    package init(reactor: Reactor) { self.reactor = reactor }

    /// Starts a program. The child leads a process group of its own, so that a terminal's Ctrl-C reaches only us.
    /// - Returns: its pid.
    /// - Throws: `ProcessError` when the program is not found, or it or its output cannot be opened.
    public func start(_ command: Command) throws -> Int32 {
        let path = try Self.find(command.program, in: command.environment["PATH"])
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(input) }
        var output: Int32 = 1
        var errors: Int32 = 2
        switch command.output {
        case .inherit: break
        case .discard: output = open("/dev/null", O_WRONLY | O_CLOEXEC)
        case .file(let file): output = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        guard output >= 0, input >= 0 else { throw ProcessError("\(command.program): cannot open its output") }
        if output != 1 { errors = output }
        defer { if output != 1 { close(output) } }

        let arguments = Self.strings([path] + command.arguments)
        let environment = Self.strings(command.environment.map { "\($0.key)=\($0.value)" })
        defer { (arguments + environment).forEach { free($0) } }
        let pid = clinux_spawn(
            path, arguments, environment, command.directory, input, output, errors, command.user?.uid ?? -1,
            command.user?.gid ?? -1, command.deathSignal)
        guard pid > 0 else { throw ProcessError("\(command.program): cannot start it (errno \(errno))") }
        // The kernel gives the number of a process that has ended to another one.
        ended[pid] = nil
        watch(pid)
        return pid
    }

    /// Waits until a process that was started here has ended; 127 for any other pid.
    public func exitStatus(of pid: Int32) async -> ExitStatus {
        if let status = ended[pid] { return status }
        guard children[pid] != nil else { return .exited(127) }
        return await withCheckedContinuation { children[pid]?.waiting.append($0) }
    }

    public func isRunning(_ pid: Int32) -> Bool { children[pid] != nil }

    /// Signals a process that was started here and has not ended; other pids are ignored.
    public func signal(_ pid: Int32, _ signal: Int32) {
        guard children[pid] != nil else { return }
        kill(pid, signal)
    }

    /// Sends `signal`, waits, and kills the process if it has not ended after `patience`.
    public func stop(_ pid: Int32, with signal: Int32 = 15, patience: Duration) async -> ExitStatus {
        self.signal(pid, signal)
        let timer = reactor.schedule(after: patience) { [unowned self] in
            self.assumeIsolated { $0.signal(pid, SIGKILL) }
        }
        let status = await exitStatus(of: pid)
        reactor.cancel(timer)
        return status
    }

    /// Starts a program and waits for its end.
    public func run(_ command: Command) async throws -> ExitStatus {
        await exitStatus(of: try start(command))
    }

    // MARK: -

    private func watch(_ pid: Int32) {
        let pidfd = clinux_pidfd_open(pid)
        precondition(pidfd >= 0, "no descriptor for a child process: errno \(errno)")
        children[pid] = Child(pidfd: pidfd)
        reactor.watch(pidfd, for: .readable) { [unowned self] _ in
            self.assumeIsolated { $0.reap(pid) }
        }
    }

    private func reap(_ pid: Int32) {
        var raw: Int32 = 0
        guard waitpid(pid, &raw, WNOHANG) == pid, let child = children.removeValue(forKey: pid) else { return }
        reactor.unwatch(child.pidfd)
        close(child.pidfd)
        let signal = raw & 0x7f
        let status: ExitStatus = signal == 0 ? .exited((raw >> 8) & 0xff) : .signalled(signal)
        ended[pid] = status
        child.waiting.forEach { $0.resume(returning: status) }
    }

    private static func find(_ program: String, in path: String?) throws -> String {
        if program.contains("/") { return program }
        for folder in (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") {
            let candidate = "\(folder)/\(program)"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        throw ProcessError("\(program) is not installed")
    }

    /// Makes a null-terminated array of C strings, which the caller frees one by one.
    private static func strings(_ values: [String]) -> [UnsafeMutablePointer<CChar>?] {
        values.map { strdup($0) } + [nil]
    }
}
