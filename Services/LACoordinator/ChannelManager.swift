package import APNsProtocol
import FoundationEssentials
package import HTTPClient
package import SightscreenModels

/// Creates, deletes and lists broadcast channels by Apple's management API ("Sending channel management requests to
/// APNs").
package struct ChannelManager: Sendable {
    package enum Created: Sendable, Hashable {
        case channel(ChannelID)
        case refused(APNsAnswer)
    }

    package enum Listed: Sendable, Hashable {
        case channels([ChannelID])
        case refused(APNsAnswer)
    }

    private let client: HTTPClient
    private let bundleID: String
    /// Where the channels of each environment are managed.
    private let urls: [APNsEnvironment: String]
    /// Returns the provider token to show.
    private let token: @Sendable () async throws -> String

    package init(
        client: HTTPClient, bundleID: String, urls: [APNsEnvironment: String],
        token: @escaping @Sendable () async throws -> String
    ) {
        self.client = client
        self.bundleID = bundleID
        self.urls = urls
        self.token = token
    }

    /// Creates a channel that stores no message: the kind for scores, which may be published to most often.
    /// - Throws: `HTTPClientError` when there is no answer; APNs may have made a channel then.
    package func create(_ environment: APNsEnvironment) async throws -> Created {
        let body = Array(#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#.utf8)
        let response = try await send("POST", "channels", environment, body: body)
        guard response.status == 201, let id = response.header(APNsHeaders.channelIDField), !id.isEmpty else {
            return .refused(Self.answer(response))
        }
        return .channel(ChannelID(id))
    }

    /// Deletes a channel for good.
    /// - Returns: nil when it does not exist any more.
    /// - Throws: `HTTPClientError` when there is no answer.
    package func delete(_ channel: ChannelID, _ environment: APNsEnvironment) async throws -> APNsAnswer? {
        let response = try await send("DELETE", "channels", environment, channel: channel)
        let answer = Self.answer(response)
        // A channel that APNs does not know has no path.
        return response.status == 204 || answer.reason == .badPath || answer.action == .channelGone ? nil : answer
    }

    /// Lists all channels of the app.
    /// - Throws: `HTTPClientError` when there is no answer, `DecodingError` when it is no list.
    package func list(_ environment: APNsEnvironment) async throws -> Listed {
        struct Body: Decodable { var channels: [ChannelID] }
        let response = try await send("GET", "all-channels", environment)
        guard response.status == 200 else { return .refused(Self.answer(response)) }
        return .channels(try JSONDecoder().decode(Body.self, from: Data(response.body)).channels)
    }

    private func send(
        _ method: String, _ resource: String, _ environment: APNsEnvironment, channel: ChannelID? = nil,
        body: [UInt8]? = nil
    ) async throws -> HTTPClientResponse {
        var headers = [
            ("authorization", "bearer \(try await token())"),
            (APNsHeaders.requestIDField, UUID().uuidString.lowercased()),
        ]
        if let channel { headers.append((APNsHeaders.channelIDField, channel.rawValue)) }
        if body != nil { headers.append(("content-type", "application/json")) }
        return try await client.send(
            HTTPClientRequest(
                method: method, url: "\(urls[environment] ?? "")/1/apps/\(bundleID)/\(resource)", headers: headers,
                body: body, timeout: ChannelStore.callLease / 2))
    }

    private static func answer(_ response: HTTPClientResponse) -> APNsAnswer {
        var answer = APNsAnswer(status: response.status, body: response.body)
        answer.retryAfter = response.header("retry-after").flatMap { Int($0) }
        return answer
    }
}
