import APNsProtocol
import SightscreenModels

/// The newest deliveries, in order, at most so many; about 130 bytes each and what their payloads do not share.
struct DeliveryLog {
    /// One request, as small as it can be kept.
    struct Entry {
        /// What only few have.
        final class Rare {
            /// Of a token that is not registered.
            var token: String?
            /// All of them, if its fields were not right.
            var headers: [String: String]?
            var collapseID: String?
            /// Of another length than ours.
            var id: String?

            init(token: String? = nil, headers: [String: String]? = nil, collapseID: String? = nil, id: String? = nil) {
                self.token = token
                self.headers = headers
                self.collapseID = collapseID
                self.id = id
            }
        }

        var receivedAtMs: Int64
        var id: PushID
        var block: HeaderBlock?
        var payload: KnownPayload
        var answer: KnownAnswer
        var rare: Rare?
        /// The token's number in the registry.
        var device: UInt32?
        var connection: UInt32
        var environment: APNsEnvironment
        var deviceVerdict: DeviceVerdict?
        var fault: Fault.Name?
    }

    let linesMax: Int
    private var ring: [Entry] = []
    /// How many there have ever been: the number of the newest.
    private(set) var newest = 0

    init(linesMax: Int) { self.linesMax = max(linesMax, 1) }

    /// The number of the oldest that is kept; `newest + 1` when there is none.
    var oldest: Int { newest - ring.count + 1 }

    mutating func append(_ entry: Entry) {
        newest += 1
        if ring.count < linesMax { ring.append(entry) } else { ring[(newest - 1) % linesMax] = entry }
    }

    /// A reader who has seen everything up to `since` can go on: nothing after it was dropped, and it is no number of
    /// another run.
    func canContinue(after since: Int) -> Bool { since >= oldest - 1 && since <= newest }

    subscript(seq: Int) -> Entry? {
        seq >= oldest && seq <= newest ? ring[(seq - 1) % linesMax] : nil
    }
}

extension Delivery {
    init(_ entry: DeliveryLog.Entry, seq: Int, _ tokens: TokenRegistry) {
        let token = entry.device.map { tokens.text(Int($0)) } ?? entry.rare?.token ?? ""
        var headers = entry.rare?.headers ?? entry.block?.logged ?? [:]
        if let block = entry.block {
            headers[":method"] = block.method
            headers[":path"] = entry.rare?.headers?[":path"] ?? "/3/device/\(token)"
        }
        headers["apns-id"] = entry.rare?.id ?? entry.id.text
        if let collapseID = entry.rare?.collapseID { headers["apns-collapse-id"] = collapseID }
        self.init(
            seq: seq, receivedAtMs: entry.receivedAtMs, environment: entry.environment,
            connection: Int(entry.connection), token: token, headers: headers, payload: entry.payload.bytes,
            payloadIsPush: entry.payload.isPush, answer: entry.answer.answer, deviceVerdict: entry.deviceVerdict,
            fault: entry.fault?.rawValue)
    }
}
