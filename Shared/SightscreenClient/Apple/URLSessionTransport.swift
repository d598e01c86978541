// Could not be compiled where the rest of this package was.
#if canImport(Darwin)
    public import Foundation

    /// The gateway over `URLSession`.
    ///
    /// Not compiled here: on Linux `device-lab` brings a transport of its own.
    public struct URLSessionTransport: APITransport {
        private let base: URL
        private let session: URLSession

        /// - Parameter base: the gateway's address, "https://api.sightscreen.app".
        public init(base: URL, session: URLSession = .shared) {
            self.base = base
            self.session = session
        }

        public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            guard let url = URL(string: request.path, relativeTo: base) else { throw .broken("no address") }
            var call = URLRequest(url: url)
            call.httpMethod = request.method
            call.httpBody = request.body.map { Data($0) }
            call.timeoutInterval = Double(request.timeout.components.seconds)
            for (name, value) in request.headers { call.setValue(value, forHTTPHeaderField: name) }
            // Who sends a tag has a cache of its own and wants to hear that nothing has changed.
            if request.headers["if-none-match"] != nil { call.cachePolicy = .reloadIgnoringLocalCacheData }
            do {
                let (body, answer) = try await session.data(for: call)
                guard let answer = answer as? HTTPURLResponse else { throw TransportError.broken("no HTTP") }
                var headers: [String: String] = [:]
                for (name, value) in answer.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
                return APIResponse(status: answer.statusCode, headers: headers, body: [UInt8](body))
            } catch let error as TransportError {
                throw error
            } catch let error as URLError {
                switch error.code {
                case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: throw .offline
                case .timedOut: throw .timeout
                case .cancelled: throw .cancelled
                default: throw .broken(error.localizedDescription)
                }
            } catch {
                throw .broken("\(error)")
            }
        }
    }
#endif
