// Could not be compiled where the rest of this package was.
#if canImport(Darwin)
    public import Foundation

    /// Any host over `URLSession`.
    ///
    /// Not compiled here.
    public struct URLSessionWebTransport: WebTransport {
        private let session: URLSession

        /// - Parameter session: by default one that keeps no cookies and no cache: answers may hold tokens.
        public init(session: URLSession = URLSession(configuration: .ephemeral)) { self.session = session }

        public func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
            guard let url = URL(string: request.url) else { throw .broken("no address") }
            var call = URLRequest(url: url)
            call.httpMethod = request.method
            call.httpBody = request.body.map { Data($0) }
            call.timeoutInterval = Double(request.timeout.components.seconds)
            for (name, value) in request.headers { call.setValue(value, forHTTPHeaderField: name) }
            do {
                let (bytes, answer) = try await session.bytes(for: call, delegate: NoRedirects())
                guard let answer = answer as? HTTPURLResponse else { throw TransportError.broken("no HTTP") }
                // Stops at the limit, whatever else would come.
                guard answer.expectedContentLength <= Int64(request.bodyBytesMax) else {
                    bytes.task.cancel()
                    throw TransportError.broken("too long")
                }
                var body: [UInt8] = []
                for try await byte in bytes {
                    guard body.count < request.bodyBytesMax else {
                        bytes.task.cancel()
                        throw TransportError.broken("too long")
                    }
                    body.append(byte)
                }
                var headers: [String: String] = [:]
                for (name, value) in answer.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
                return APIResponse(status: answer.statusCode, headers: headers, body: body)
            } catch let error as TransportError {
                throw error
            } catch let error as URLError {
                switch error.code {
                case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: throw .offline
                case .timedOut: throw .timeout
                case .cancelled: throw .cancelled
                default: throw .broken(error.localizedDescription)
                }
            } catch is CancellationError {
                throw .cancelled
            } catch {
                throw .broken("\(error)")
            }
        }
    }

    private final class NoRedirects: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? { nil }
    }
#endif
