import HTTPClient
import SightscreenClient
import SightscreenModels

/// The matches as the app lists them. All phones share one list, because each would otherwise ask for the same every
/// second.
actor LabGateway {
    private let api: SightscreenAPI
    private var items: [MatchID: MatchItem] = [:]

    init(base: String, issuer: LabIssuer, http: HTTPClient) {
        api = SightscreenAPI(
            transport: PhoneNetwork(base: base, http: http, isOnline: true),
            session: LabSession(issuer: issuer), clock: SystemClientClock(),
            retries: .never)
    }

    /// The match as it was last fetched; it is fetched when it never was.
    func item(_ match: MatchID) async throws(APIError) -> MatchItem {
        if let item = items[match] { return item }
        return try await refresh(match)
    }

    /// - Throws: `APIError.refused` with 404 while the schedule does not have the match.
    @discardableResult
    func refresh(_ match: MatchID) async throws(APIError) -> MatchItem {
        let item = try await api.match(match)
        items[match] = item
        return item
    }
}
