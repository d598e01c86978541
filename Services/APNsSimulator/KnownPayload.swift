import APNsProtocol
import SightscreenClientTesting
import SightscreenModels

/// A payload as received, with the result of its check: one version goes to many devices, and the log keeps it once.
final class KnownPayload {
    let bytes: [UInt8]
    /// Whether the payload is JSON with `aps`. A delivery line then has it as `payload`, otherwise as text.
    let isPush: Bool
    let refusal: APNsReason?
    let push: DevicePush
    /// The payload's alert by its number in `AlertTally`; nil without an alert.
    let alert: Int?

    init(_ bytes: [UInt8], _ check: APNsRequestCheck, _ alerts: inout AlertTally) {
        self.bytes = bytes
        isPush = APNsRequestCheck.isPush(bytes) && String(validating: bytes, as: UTF8.self) != nil
        refusal = check.refusalOfPayload(bytes)
        push = DevicePush(bytes)
        alert = push.alert.map { alerts.number(of: $0) }
    }

    var event: LiveActivityEvent? { push.head?.event }

    func matches(_ body: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { $0.equals(body) }
    }
}
