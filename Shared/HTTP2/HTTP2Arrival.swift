/// A complete request in its session's memory, without a `String` for any name or value.
///
/// `@unchecked Sendable`: it exists during one call on the server's thread, and must not be kept beyond it.
public struct HTTP2Arrival: @unchecked Sendable {
    /// The request's connection, and its stream there.
    public let connection: HTTP2ConnectionID
    public let streamID: Int32
    private let session: HTTP2ServingSession
    private let bytes: HTTP2ArrivalBytes

    init(
        _ connection: HTTP2ConnectionID, _ streamID: Int32, _ session: HTTP2ServingSession, _ bytes: HTTP2ArrivalBytes
    ) {
        self.connection = connection
        self.streamID = streamID
        self.session = session
        self.bytes = bytes
    }

    /// The place of a header field in `text`: its value directly follows its name.
    public struct Field: Sendable {
        public internal(set) var start: Int
        public internal(set) var nameCount: Int
        public internal(set) var valueCount: Int
        /// The sender asked that no HPACK table keeps the field.
        public internal(set) var neverIndexed: Bool
    }

    /// The fields in their order of arrival, including pseudo-header fields.
    public var fields: [Field] { bytes.fields }
    public var text: UnsafeRawBufferPointer { bytes.text.slice(0, bytes.text.count) }
    public var fieldCount: Int { bytes.fields.count }
    public func name(_ index: Int) -> UnsafeRawBufferPointer {
        let field = bytes.fields[index]
        return bytes.text.slice(field.start, field.nameCount)
    }
    public func value(_ index: Int) -> UnsafeRawBufferPointer {
        let field = bytes.fields[index]
        return bytes.text.slice(field.start + field.nameCount, field.valueCount)
    }
    public func field(_ index: Int) -> HTTP2Field {
        HTTP2Field(
            String(decoding: name(index), as: UTF8.self), String(decoding: value(index), as: UTF8.self),
            neverIndexed: bytes.fields[index].neverIndexed)
    }
    public var body: UnsafeRawBufferPointer { bytes.body.slice(0, bytes.body.count) }
    /// The body was longer than the server accepts; `body` is its beginning.
    public var bodyIsTooLarge: Bool { bytes.bodyIsTooLarge }

    /// A copy that may be kept.
    public var request: HTTP2Request {
        var request = HTTP2Request(
            connection: connection, streamID: streamID, method: "", path: "", headers: [], body: Array(body),
            bodyIsTooLarge: bodyIsTooLarge)
        for index in 0..<fieldCount {
            let field = field(index)
            switch field.name {
            case ":method": request.method = field.value
            case ":path": request.path = field.value
            case let name where name.first == ":": break
            default: request.headers.append(field)
            }
        }
        return request
    }

    // MARK: - Its connection

    /// Announces another limit on concurrent streams together with the answer.
    public func setConcurrentStreamsMax(_ count: Int) {
        session.setConcurrentStreamsMax(count, withAnswerTo: streamID)
    }

    /// Sends GOAWAY: streams above `lastStreamID` are dropped unanswered.
    /// - Returns: the last stream that the frame names, which is not below any whose request was handed on before this
    ///   one. Requests complete in another order than they begin, and the peer sends again what is above that stream
    ///   (RFC 9113, section 6.8).
    @discardableResult
    public func sendGoAway(lastStreamID: Int32, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []) -> Int32 {
        let last = max(lastStreamID, session.handedThrough)
        session.goAway(lastStream: last, code, debugData: debugData)
        return last
    }
}

/// The bytes of one request. The memory is reused for the next one.
final class HTTP2ArrivalBytes {
    /// A buffer that grows and never shrinks.
    struct Store {
        private var start = UnsafeMutableRawPointer.allocate(byteCount: 1_024, alignment: 8)
        private var capacity = 1_024
        private(set) var count = 0

        mutating func append(_ bytes: UnsafePointer<UInt8>?, _ more: Int) {
            guard let bytes, more > 0 else { return }
            if count + more > capacity {
                capacity = max(capacity * 2, count + more)
                let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
                larger.copyMemory(from: start, byteCount: count)
                start.deallocate()
                start = larger
            }
            (start + count).copyMemory(from: bytes, byteCount: more)
            count += more
        }

        mutating func removeAll() { count = 0 }
        func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: start + offset, count: count)
        }
        func deallocate() { start.deallocate() }
    }

    var fields: [HTTP2Arrival.Field] = []
    var text = Store()
    var body = Store()
    var bodyIsTooLarge = false

    init() { fields.reserveCapacity(16) }

    deinit {
        text.deallocate()
        body.deallocate()
    }

    func add(
        _ name: UnsafePointer<UInt8>?, _ nameCount: Int, _ value: UnsafePointer<UInt8>?, _ valueCount: Int,
        neverIndexed: Bool
    ) {
        fields.append(
            HTTP2Arrival.Field(
                start: text.count, nameCount: nameCount, valueCount: valueCount, neverIndexed: neverIndexed))
        text.append(name, nameCount)
        text.append(value, valueCount)
    }

    func removeAll() {
        fields.removeAll(keepingCapacity: true)
        text.removeAll()
        body.removeAll()
        bodyIsTooLarge = false
    }
}
