/// An HTTP client for the few calls that leave the services besides pushes: the provider, key sets, control ports.
/// libcurl runs on a thread of its own, so that a slow peer never blocks one of Swift's threads.
public final class HTTPClient: Sendable {
    public struct Configuration: Sendable {
        public var connectTimeout: Duration
        /// The PEM file of the authorities to trust; nil for the system's. Verification cannot be switched off.
        public var caFile: String?
        public var userAgent: String
        /// Whether plain http is allowed as well: for stand-ins and tests.
        public var allowHTTP: Bool
        /// Called after each request with the answer's status; nil if there was no answer.
        public var onAnswer: (@Sendable (Int?) -> Void)?

        package init(
            connectTimeout: Duration = .seconds(3), caFile: String? = nil, userAgent: String = "sightscreen",
            allowHTTP: Bool = false, onAnswer: (@Sendable (Int?) -> Void)? = nil
        ) {
            self.connectTimeout = connectTimeout
            self.caFile = caFile
            self.userAgent = userAgent
            self.allowHTTP = allowHTTP
            self.onAnswer = onAnswer
        }
    }

    private let configuration: Configuration
    private let thread: CurlThread

    package init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        thread = CurlThread()
    }

    deinit { thread.stop() }

    /// Sends a request and waits for the whole answer.
    /// - Returns: the answer, of any status.
    /// - Throws: `HTTPClientError` if there is no answer; `CancellationError` if the calling task is cancelled.
    public func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        try Task.checkCancellation()
        let transfer = Transfer(request, configuration)
        do {
            let response = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    transfer.continuation = continuation
                    thread.add(transfer)
                }
            } onCancel: {
                thread.cancel(transfer)
            }
            configuration.onAnswer?(response.status)
            return response
        } catch let error as HTTPClientError {
            configuration.onAnswer?(nil)
            throw error
        }
    }
}
