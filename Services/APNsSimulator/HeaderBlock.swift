import Glibc
import HTTP2

/// The header fields that many pushes share, as received, with the result of their check, which is made once.
///
/// The fields that differ from push to push are left out: `:path`, `apns-id` and `apns-collapse-id`.
final class HeaderBlock {
    private struct Field {
        var start: Int
        var nameCount: Int
        var valueCount: Int
    }

    let method: String
    let authorization: String
    let pushType: String?
    let isLiveActivity: Bool
    let priority: Int
    let expiration: Int?
    /// The `apns-*` fields for the log.
    let logged: [String: String]
    /// The error in the fields other than `authorization`; nil when they are valid.
    let refusal: Refusal?
    /// The time until which `authorization` was found valid, in seconds since 1970; 0 when it was not.
    var goodUntil = 0
    private let fields: [Field]
    private let bytes: [UInt8]

    /// - Parameter push: the whole request.
    init(_ arrival: HTTP2Arrival, _ push: IncomingRequest, _ check: PushCheck) {
        var fields: [Field] = []
        var bytes: [UInt8] = []
        var logged: [String: String] = [:]
        for index in 0..<arrival.fieldCount where VariableField(arrival.name(index)) == nil {
            fields.append(
                Field(
                    start: bytes.count, nameCount: arrival.name(index).count, valueCount: arrival.value(index).count))
            bytes += arrival.name(index)
            bytes += arrival.value(index)
            let field = arrival.field(index)
            if field.name.hasPrefix("apns-") { logged[field.name] = field.value }
        }
        self.fields = fields
        self.bytes = bytes
        self.logged = logged
        method = push.method
        authorization = push.field("authorization") ?? ""
        pushType = push.field("apns-push-type")
        isLiveActivity = pushType == PushType.liveActivity.rawValue
        priority =
            push.field("apns-priority").flatMap { Int($0) }.flatMap { PushCheck.priorities.contains($0) ? $0 : nil }
            ?? PushCheck.immediate
        expiration = push.field("apns-expiration").flatMap { Int($0) }
        var shared = push
        shared.fields.removeAll { field in ["apns-id", "apns-collapse-id"].contains(field.name) }
        refusal = check.refusalOfHeaders(shared)
    }

    /// Whether the request has the same fields in the same order.
    func matches(_ arrival: HTTP2Arrival) -> Bool {
        let text = arrival.text
        return bytes.withUnsafeBytes { bytes in
            guard let mine = bytes.baseAddress, let theirs = text.baseAddress else { return false }
            var next = 0
            for field in arrival.fields {
                if VariableField(UnsafeRawBufferPointer(start: theirs + field.start, count: field.nameCount)) != nil {
                    continue
                }
                guard next < fields.count else { return false }
                let known = fields[next]
                guard known.nameCount == field.nameCount, known.valueCount == field.valueCount,
                    memcmp(mine + known.start, theirs + field.start, known.nameCount + known.valueCount) == 0
                else { return false }
                next += 1
            }
            return next == fields.count
        }
    }
}

/// A header field whose value differs from push to push.
enum VariableField {
    case path
    case id
    case collapseID

    init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 5 where name.equals(":path"): self = .path
        case 7 where name.equals("apns-id"): self = .id
        case 16 where name.equals("apns-collapse-id"): self = .collapseID
        default: return nil
        }
    }
}
