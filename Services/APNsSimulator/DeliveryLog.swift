import SightscreenModels

/// The newest deliveries in order, up to a limit. Each takes about 130 bytes, and those of its payload that it does not
/// share.
struct DeliveryLog {
    /// The part that all lines of one publish to a channel share.
    final class Publish {
        let channel: String
        let headers: [String: String]
        /// Phones that listen and got it, and those that did not.
        var reached = 0
        var lost = 0

        init(channel: String, headers: [String: String]) {
            self.channel = channel
            self.headers = headers
        }
    }

    /// One request in compact form, or a publish's arrival at one phone.
    struct Entry {
        /// Fields that few entries have.
        final class Rare {
            /// The token as text, if it is not registered.
            var token: String?
            /// All headers, if the request was malformed.
            var headers: [String: String]?
            var collapseID: String?
            /// The `apns-id` as text, if it is not a UUID of 36 bytes.
            var id: String?
            /// The publish to a channel that this is, or that reached a phone; its lines share this object.
            let publish: Publish?

            init(
                token: String? = nil, headers: [String: String]? = nil, collapseID: String? = nil, id: String? = nil,
                publish: Publish? = nil
            ) {
                self.token = token
                self.headers = headers
                self.collapseID = collapseID
                self.id = id
                self.publish = publish
            }
        }

        var receivedAtMs: Int64
        var id: PushID
        var block: HeaderBlock?
        var payload: KnownPayload
        var answer: KnownAnswer
        var rare: Rare?
        /// The token's index in the registry; of a publish's arrival at a phone, the subscriber's number.
        var device: UInt32?
        var connection: UInt32
        var environment: APNsEnvironment
        var deviceVerdict: DeviceOutcome?
        var fault: Fault.Name?
    }

    let linesMax: Int
    private var ring: [Entry] = []
    /// The number of the newest delivery, which is the count of all so far.
    private(set) var newest = 0

    init(linesMax: Int) { self.linesMax = max(linesMax, 1) }

    /// The number of the oldest delivery that is kept; `newest + 1` when there is none.
    var oldest: Int { newest - ring.count + 1 }

    mutating func append(_ entry: Entry) {
        newest += 1
        if ring.count < linesMax { ring.append(entry) } else { ring[(newest - 1) % linesMax] = entry }
    }

    /// Whether a reader who has seen everything up to `since` can continue: no later delivery was dropped, and `since`
    /// is not of another run.
    func canContinue(after since: Int) -> Bool { since >= oldest - 1 && since <= newest }

    subscript(seq: Int) -> Entry? {
        seq >= oldest && seq <= newest ? ring[(seq - 1) % linesMax] : nil
    }
}

extension Delivery {
    init(_ entry: DeliveryLog.Entry, seq: Int, _ tokens: TokenRegistry, _ subscribers: SubscriberNames) {
        if let publish = entry.rare?.publish {
            self.init(
                seq: seq, receivedAtMs: entry.receivedAtMs, environment: entry.environment,
                connection: Int(entry.connection), token: entry.device.map { subscribers[$0] } ?? "",
                channel: publish.channel, headers: publish.headers, payload: entry.payload.bytes,
                payloadIsPush: entry.payload.facts != nil, answer: entry.answer.answer,
                deviceVerdict: entry.deviceVerdict, fault: entry.fault?.rawValue)
            if entry.device == nil, entry.answer.answer.status == 200 {
                reached = publish.reached
                lost = publish.lost
            }
            return
        }
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
            payloadIsPush: entry.payload.facts != nil, answer: entry.answer.answer, deviceVerdict: entry.deviceVerdict,
            fault: entry.fault?.rawValue)
    }
}
