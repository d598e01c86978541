// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(Darwin)
    public import Foundation
    import Synchronization

    /// The port's implementation with `URLSession`, for any host.
    ///
    /// A call has one deadline, from before its first byte to after the last one, because `URLSession`'s own timeout
    /// starts anew with each byte that arrives. Redirects are returned like other answers. Cookies are neither sent nor
    /// kept, and no answer comes from a cache: a caller that wants one keeps its own and sends an entity tag.
    public struct URLSessionWebTransport: WebTransport {
        private let session: URLSession

        /// Creates a transport on a shared session that stores nothing, because answers may contain tokens.
        public init() { self.init(session: Self.forgetful) }

        /// - Parameter session: a session of the app, which should have neither cookies nor a cache.
        public init(session: URLSession) { self.session = session }

        private static let forgetful: URLSession = {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpCookieAcceptPolicy = .never
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            return URLSession(configuration: configuration)
        }()

        public func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
            guard let url = URL(string: request.url) else { throw .broken("no address") }
            var call = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
            call.httpMethod = request.method
            call.httpBody = request.body.map { Data($0) }
            call.httpShouldHandleCookies = false
            // The session's timeout never comes before the deadline. The system reads 0 as no limit.
            call.timeoutInterval = max(request.timeout / .seconds(1), 1) + 1
            for (name, value) in request.headers { call.setValue(value, forHTTPHeaderField: name) }
            let exchange = Exchange(bodyBytesMax: request.bodyBytesMax)
            let task = session.dataTask(with: call)
            task.delegate = exchange
            let deadline = Task {
                try await Task.sleep(for: request.timeout)
                exchange.end(.failure(.timeout))
                task.cancel()
            }
            defer { deadline.cancel() }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if exchange.begin(continuation) { task.resume() } else { task.cancel() }
                }
            } onCancel: {
                exchange.end(.failure(.cancelled))
                task.cancel()
            }
            return try result.get()
        }
    }

    /// Collects one answer. The first of these events ends it: the answer, the deadline, the caller's cancellation, or
    /// too many bytes.
    private final class Exchange: NSObject, URLSessionDataDelegate {
        typealias Ending = Result<APIResponse, TransportError>

        private struct State {
            var waiting: CheckedContinuation<Ending, Never>?
            var ending: Ending?
            var body: [UInt8] = []
        }

        private let bodyBytesMax: Int
        private let state = Mutex(State())

        init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

        /// - Returns: false when the exchange has ended before it began.
        func begin(_ continuation: CheckedContinuation<Ending, Never>) -> Bool {
            let ending = state.withLock { state in
                if state.ending == nil { state.waiting = continuation }
                return state.ending
            }
            guard let ending else { return true }
            continuation.resume(returning: ending)
            return false
        }

        func end(_ ending: Ending) {
            let waiting = state.withLock { state -> CheckedContinuation<Ending, Never>? in
                guard state.ending == nil else { return nil }
                state.ending = ending
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: ending)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let announced = dataTask.response?.expectedContentLength ?? 0
            let isTooLong = state.withLock { state in
                guard announced <= Int64(bodyBytesMax), state.body.count + data.count <= bodyBytesMax else {
                    return true
                }
                state.body += data
                return false
            }
            guard isTooLong else { return }
            // The exchange stops at the limit, however much more would come.
            end(.failure(.broken("too long")))
            dataTask.cancel()
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? { nil }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            if let error { return end(.failure(TransportError(error))) }
            guard let answer = task.response as? HTTPURLResponse else { return end(.failure(.broken("no HTTP"))) }
            var headers: [String: String] = [:]
            for (name, value) in answer.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
            let body = state.withLock { $0.body }
            end(.success(APIResponse(status: answer.statusCode, headers: headers, body: body)))
        }
    }

    extension TransportError {
        fileprivate init(_ error: any Error) {
            guard let error = error as? URLError else {
                self = .broken("\(error)")
                return
            }
            switch error.code {
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: self = .offline
            case .timedOut: self = .timeout
            case .cancelled: self = .cancelled
            default: self = .broken(error.localizedDescription)
            }
        }
    }
#endif
