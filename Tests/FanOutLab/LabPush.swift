import APNsProtocol
import FoundationEssentials
import HTTP2
import SightscreenModels
import Tokens

/// The push that the lab sends to each device: a wicket.
struct LabPush: Sendable {
    let template: HTTP2HeaderTemplate
    let body: HTTP2SharedBody

    /// - Parameters:
    ///   - authority: of the request.
    ///   - bundleID: whose topic it is.
    ///   - bytes: of the body, if it is to have so many: white space is put behind it.
    init(authority: String, authorization: String, bundleID: String, bytes: Int?) throws {
        let now = Int(Date().timeIntervalSince1970)
        let state = ContentState(
            version: 7, matchDisplayState: .live, matchSentiment: .neutral,
            compactLeading: .init(teamAbbr: "MI", score: "121/4"),
            compactTrailing: .init(overs: "14.3", runRate: "8.34"), minimal: nil,
            expanded: .init(
                title: "MI v CSK", subtitle: "Eliminator, Chennai", innings: [], batters: [], bowler: nil,
                recentBalls: ["1", "•", "4", "W", "2", "6", "1", "wd", "•", "W"], target: nil,
                requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))
        let payload = LiveActivityPayload.update(
            stamp: Stamp(now), contentState: state, staleAt: now + 900, relevance: 100,
            alert: PushAlert(title: "WICKET! MI 121/4", body: "Sharma c Dhoni b Jadeja 54 (38)", sound: true))
        var encoded = try payload.encode().bytes
        if let bytes, bytes > encoded.count { encoded += [UInt8](repeating: 0x20, count: bytes - encoded.count) }
        body = HTTP2SharedBody(encoded)
        let headers = APNsHeaders.update(bundleID: bundleID, priority: .immediate, .routine(at: now))
        template = HTTP2HeaderTemplate(
            authority: authority,
            fields: [HTTP2Field("authorization", authorization, neverIndexed: true)]
                + headers.fields.map { HTTP2Field($0.name, $0.value) })
    }

    /// Signs a provider token; without a key file, what looks like one.
    static func authorization(keyFile: String?, keyID: String, teamID: String) throws -> String {
        guard let keyFile else { return "bearer " + String(repeating: "t", count: 200) }
        let pem = String(decoding: try Data(contentsOf: URL(filePath: keyFile)), as: UTF8.self)
        let now = Int(Date().timeIntervalSince1970)
        return "bearer "
            + (try ProviderToken.make(keyID: keyID, teamID: teamID, issuedAt: now, signer: try ES256Signer(pem: pem)))
    }
}
