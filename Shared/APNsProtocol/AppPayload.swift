#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import SightscreenModels

/// The payload of a push to the app itself rather than to an activity.
public enum AppPayload: Hashable, Sendable {
    /// Wakes the app in the background without showing anything, so that it registers again and says which cards it
    /// shows. iOS grants few of these, and none after a force quit: nothing depends on it.
    /// - Parameters:
    ///   - matchID: the match whose card or start is in question; nil when the push is about none.
    ///   - confirm: a nonce that the app echoes with `POST /devices/confirm`.
    case reconcile(matchID: MatchID?, confirm: String? = nil)
    /// Shows a notification; opening it lets the app start the activity itself.
    case visible(matchID: MatchID, alert: PushAlert)

    /// - Throws: `PayloadError.tooLarge` never in practice: title and body are shortened to 256 and 1,024 bytes.
    public func encode() throws(PayloadError) -> PushPayload {
        let body: Body
        switch self {
        case .reconcile(let matchID, let nonce):
            body = Body(aps: Body.APS(contentAvailable: 1), matchId: matchID, purpose: "reconcile", confirm: nonce)
        case .visible(let matchID, let alert):
            let text = Body.Text(title: alert.title.shortened(to: 256), body: alert.body.shortened(to: 1_024))
            let aps = Body.APS(alert: text, sound: alert.sound ? "default" : nil)
            body = Body(aps: aps, matchId: matchID, purpose: "startLiveActivity")
        }
        let bytes = try PushPayload.json(body)
        guard bytes.count <= PushPayload.bytesMax else { throw .tooLarge(bytes: bytes.count) }
        return PushPayload(bytes: bytes, cuts: [])
    }

    private struct Body: Encodable {
        var aps: APS
        var matchId: MatchID?
        /// The action that the app should take.
        var purpose: String
        var confirm: String?

        struct APS: Encodable {
            var alert: Text?
            /// The sound of a notification is beside its alert, not inside it.
            var sound: String?
            var contentAvailable: Int?

            enum CodingKeys: String, CodingKey {
                case alert, sound
                case contentAvailable = "content-available"
            }
        }

        struct Text: Encodable {
            var title: String
            var body: String
        }
    }
}
