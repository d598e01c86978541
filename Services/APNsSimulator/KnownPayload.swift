import APNsProtocol
import SightscreenClientTesting
import SightscreenModels

/// A payload, as received, and what was found in it: one version goes to many devices, and the log keeps it once.
final class KnownPayload {
    let bytes: [UInt8]
    /// Whether it is JSON with `aps`: then a delivery line has it as `payload`, else as text.
    let isPush: Bool
    let refusal: APNsReason?
    let push: DevicePush
    /// Its number in the alert book.
    let alert: Int?

    init(_ bytes: [UInt8], _ check: APNsRequestCheck, _ alerts: inout AlertBook) {
        self.bytes = bytes
        isPush = APNsRequestCheck.isPush(bytes) && String(validating: bytes, as: UTF8.self) != nil
        refusal = check.refusalOfPayload(bytes)
        push = DevicePush(bytes)
        alert = push.alert.map { alerts.number(of: $0) }
    }

    var event: LiveActivityEvent? { push.head?.event }

    func isThat(_ body: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { $0.equals(body) }
    }
}
