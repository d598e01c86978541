/// An HTTP client for the few calls that leave the suite besides pushes: the provider, key sets, control ports. libcurl
/// runs on a thread of its own, so that a slow peer never takes one of Swift's.
public final class HTTPClient: Sendable {
    public struct Configuration: Sendable {
        public var connectTimeout: Duration
        /// PEM file of the authorities to trust; nil for the system's. Verification cannot be switched off.
        public var caFile: String?
        public var userAgent: String
        /// Plain http as well: for stand-ins and tests.
        public var allowHTTP: Bool

        public init(
            connectTimeout: Duration = .seconds(3), caFile: String? = nil, userAgent: String = "sightscreen",
            allowHTTP: Bool = false
        ) {
            self.connectTimeout = connectTimeout
            self.caFile = caFile
            self.userAgent = userAgent
            self.allowHTTP = allowHTTP
        }
    }

    private let configuration: Configuration
    private let thread: CurlThread

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        thread = CurlThread()
    }

    deinit { thread.stop() }

    /// - Returns: the answer, of whatever status.
    /// - Throws: `HTTPClientError` when there is none; `CancellationError` when the calling task is cancelled.
    public func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        try Task.checkCancellation()
        let transfer = Transfer(request, configuration)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.continuation = continuation
                thread.add(transfer)
            }
        } onCancel: {
            thread.cancel(transfer)
        }
    }
}
