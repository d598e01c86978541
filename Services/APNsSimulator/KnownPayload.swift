import SightscreenClientTesting
import SightscreenModels

/// A payload as received, with the result of its check: one version goes to many devices, and the log keeps it once.
final class KnownPayload {
    let bytes: [UInt8]
    /// The facts of a JSON object with `aps`, which a delivery line has as `payload`; nil for other bytes, which it has
    /// as text.
    let facts: PayloadFacts?
    /// The error for which a push to one device is refused.
    let refusal: Refusal?
    let push: DevicePush
    /// The payload's alert by its number in `AlertTally`; nil without an alert.
    let alert: Int?

    init(_ bytes: [UInt8], _ alerts: inout AlertTally) {
        self.bytes = bytes
        facts = PayloadFacts(bytes)
        refusal = PushCheck.refusalOfPayload(bytes, facts)
        push = DevicePush(bytes)
        alert = push.alert.map { alerts.number(of: $0) }
    }

    var event: LiveActivityEvent? { push.head?.event }

    func matches(_ body: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { $0.equals(body) }
    }
}
