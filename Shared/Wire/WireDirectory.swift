import Glibc
public import Logging
public import Messages
import NIOCore
public import ServiceLifecycle

/// Connections to all instances of one service on this host: reads the folder `RUN_DIR/<service>` for `*.sock`,
/// connects to each, and reconnects after a growing, random wait when a connection is lost.
public actor WireDirectory: Service {
    /// The interval at which the folder is read: a new instance is found within this time.
    static let scanInterval = Duration.milliseconds(150)
    static let waitMin = Duration.milliseconds(50)
    static let waitMax = Duration.seconds(2)

    private let folder: String
    private let logger: Logger
    private let metrics: WireMetrics
    private var connections: [String: WireConnection] = [:]
    private var kept: Set<String> = []
    private var onConnect: (@Sendable (_ instance: String) async -> Void)?

    public init(runDirectory: String, service: String, logger: Logger) {
        folder = "\(runDirectory)/\(service)"
        self.logger = logger
        metrics = WireMetrics(folder: folder, .client)
    }

    /// Sets the handler to call after each new connection. What the instance missed before is not repeated.
    public func onConnect(_ handler: @escaping @Sendable (_ instance: String) async -> Void) { onConnect = handler }

    /// The instances that are connected now, sorted.
    public func instances() -> [String] { connections.filter { $0.value.isOpen }.keys.sorted() }

    /// Sends a notice to every instance, as a best effort: a frame that an instance cannot take is lost to it, and is
    /// not waited for.
    public func broadcast<M: Message>(_ message: M, traceparent: String? = nil) async {
        do {
            let frame = try EncodedMessage(message).frame(id: FrameIDs.next(), traceparent: traceparent)
            for connection in connections.values { try? connection.send(frame) }
        } catch {
            logger.error("A notice cannot be sent", metadata: ["wire.type": "\(M.type)", "error": "\(error)"])
        }
    }

    /// Sends a request to one instance and waits for the answer.
    /// - Throws: `WireError`; `.unavailable` when that instance is not connected. After `.closed` and `.timeout` it is
    ///   unknown whether the instance acted on the request.
    public func request<R: Message>(
        _ message: EncodedMessage, to instance: String, expecting: R.Type, timeout: Duration = .seconds(5),
        traceparent: String? = nil
    ) async throws -> R {
        guard let connection = connections[instance], connection.isOpen else {
            throw WireError(.unavailable, "\(folder)/\(instance).sock is not connected")
        }
        return try await connection.request(message, expecting: R.self, timeout: timeout, traceparent: traceparent)
    }

    /// Maintains the connections until cancelled or asked to stop.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            repeat {
                for name in SocketFile.names(in: folder) where name.hasSuffix(".sock") {
                    let instance = String(name.dropLast(5))
                    guard kept.insert(instance).inserted else { continue }
                    group.addTask { await self.keep(instance) }
                }
            } while await pause(Self.scanInterval)
            group.cancelAll()
            for connection in connections.values { connection.close() }
        }
        connections = [:]
        kept = []
    }

    /// - Returns: false when it is time to stop.
    private func pause(_ wait: Duration) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: wait) }
            return !Task.isShuttingDownGracefully
        } catch {
            return false
        }
    }

    /// Keeps one instance connected for as long as its socket file is there.
    private func keep(_ instance: String) async {
        let path = "\(folder)/\(instance).sock"
        var wait = Self.waitMin
        var lastFile: FileIdentity?
        var isLost = false
        defer { kept.remove(instance) }
        while !Task.isCancelled, let file = FileIdentity(path) {
            if file != lastFile { wait = Self.waitMin }
            lastFile = file
            do {
                let connection = try await WireConnection.connect(to: path, logger: logger, metrics: metrics)
                connections[instance] = connection
                metrics.opened()
                logger.debug("Connected", metadata: ["wire.path": "\(path)"])
                (wait, isLost) = (Self.waitMin, false)
                await onConnect?(instance)
                await withTaskCancellationHandler {
                    await connection.closed()
                } onCancel: {
                    connection.close()
                }
                connections[instance] = nil
                metrics.closed()
            } catch {
                // The failure is logged once until it changes, because a dead owner's file may stay for long.
                if !isLost { logger.info("No connection", metadata: ["wire.path": "\(path)", "reason": "\(error)"]) }
                isLost = true
            }
            guard await untilChanged(file, path, wait * Double.random(in: 0...1)) else { return }
            wait = min(wait * 2, Self.waitMax)
        }
    }

    /// Waits, but only until the file is replaced, because then there is a new owner.
    /// - Returns: false when it is time to stop.
    private func untilChanged(_ file: FileIdentity, _ path: String, _ wait: Duration) async -> Bool {
        let end = ContinuousClock.now + wait
        while .now < end, FileIdentity(path) == file {
            guard await pause(min(end - .now, .milliseconds(50))) else { return false }
        }
        return !Task.isCancelled
    }
}

/// Identifies a socket file, to tell it from the one that the next owner makes under the same name.
struct FileIdentity: Equatable {
    var inode: UInt
    var seconds: Int
    var nanoseconds: Int

    /// - Returns: nil when there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        inode = status.st_ino
        seconds = status.st_ctim.tv_sec
        nanoseconds = status.st_ctim.tv_nsec
    }
}
