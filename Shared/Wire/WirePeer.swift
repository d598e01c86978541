package import Logging
public import Messages

/// One server, addressed by its path. It connects when it is first needed, and again after the connection was lost.
public actor WirePeer {
    public nonisolated let path: String
    private let logger: Logger
    private var connection: WireConnection?
    private var connecting: Task<WireConnection, any Error>?

    package init(path: String, logger: Logger = Logger(label: "wire")) {
        self.path = path
        self.logger = logger
    }

    /// Sends a request and waits for the answer.
    /// - Throws: `WireError`; after `.closed` and `.timeout` it is unknown whether the peer acted on the request, so a
    ///   request must be safe to repeat.
    public func request<M: Message, R: Message>(
        _ message: M, expecting: R.Type, timeout: Duration = .seconds(5), traceparent: String? = nil
    ) async throws -> R {
        try await open().request(
            EncodedMessage(message), expecting: R.self, timeout: timeout, traceparent: traceparent)
    }

    /// Sends a notice; whether it arrives is not known.
    public func notify<M: Message>(_ message: M, traceparent: String? = nil) async throws {
        let frame = try EncodedMessage(message).frame(id: FrameIDs.next(), traceparent: traceparent)
        try await open().send(frame)
    }

    /// Ends the connection; the next call makes a new one.
    public func close() {
        connection?.close()
        connection = nil
    }

    private func open() async throws -> WireConnection {
        if let connection, connection.isOpen { return connection }
        let attempt =
            connecting
            ?? Task { [path, logger] in try await WireConnection.connect(to: path, logger: logger) }
        connecting = attempt
        let result = await attempt.result
        if connecting == attempt { connecting = nil }
        let opened = try result.get()
        connection = opened
        return opened
    }
}
