internal import CNGHTTP2

/// The client's end of an HTTP/2 connection for very many small requests. It allocates nothing per request, and returns
/// of an answer only its status and the beginning of its body, and of a refusal also its `retry-after`.
///
/// It exchanges bytes, like `HTTP2ServingSession`. It is not thread-safe; it belongs to the thread that moves its
/// bytes.
final class HTTP2SendingSession: HTTP2ByteEnd {
    /// One request between its submission and its end.
    private struct Slot {
        var tag = 0
        /// The stream; 0 while the slot is free.
        var stream: Int32 = 0
        var isAnswered = false
        var allowance = HTTP2HeaderAllowance()
        var interimAnswers = 0
        /// The deadline has passed and the outcome was told; the slot is free again when its stream is closed.
        var isTold = false
        var bodyOffset = 0
        var deadline: Int64 = 0
        /// The offset of the request's first byte in the output; `.max` while it is not part of it.
        var headersOffset = UInt64.max
        var body: HTTP2SharedBody?
        var reply = HTTP2Response(status: 0)

        /// Takes in a field of the answer.
        /// - Returns: false when the answer has too much, so that its stream has to be reset.
        mutating func take(
            _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, keepsAll: Bool
        ) -> Bool {
            guard allowance.admit(name.count, value.count) else { return false }
            if name.first == UInt8(ascii: ":") {
                // `:status` is the only pseudo-header field of an answer. A new one starts the reply anew, so that
                // interim answers (1xx) leave nothing in the final one.
                reply = HTTP2Response(status: value.prefix(3).reduce(0) { $0 * 10 + Int($1) - 48 })
                if reply.status < 200 { interimAnswers += 1 }
                return interimAnswers <= HTTP2SendingSession.interimAnswersMax
            }
            // The first `retry-after` is kept of every refusal, because few answers have one and it asks for something.
            if keepsAll || reply.status != 200 && reply.headers.isEmpty && name.elementsEqual("retry-after".utf8) {
                let value = value.prefix(keepsAll ? .max : HTTP2SendingSession.retryAfterBytesMax)
                reply.headers.append(
                    HTTP2Field(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            }
            return true
        }
    }

    struct GoAway {
        var code: HTTP2ErrorCode
        var debugData: [UInt8]
    }

    /// The most interim answers (1xx) before an answer, which needs one at most. A server that sends them without end
    /// keeps a stream busy that it never answers.
    static let interimAnswersMax = 16
    /// The most bytes kept of a `retry-after`: a number of seconds.
    static let retryAfterBytesMax = 32

    /// The most requests in flight.
    let slotCount: Int
    /// The most bytes kept of an answer's body; the rest is dropped.
    let replyBytesMax: Int
    /// Answers are returned with their header fields.
    let keepsHeaders: Bool
    private(set) var outputBytes: UInt64 = 0
    private(set) var inFlight = 0
    private(set) var hasSettings = false
    private(set) var goAway: GoAway?
    /// The number of PINGs that the peer has answered.
    private(set) var pongs = 0
    /// Called with each outcome while bytes are taken in or returned; it must not call back into the session.
    var onOutcome: (_ tag: Int, HTTP2Outcome) -> Void = { _, _ in }

    private var raw: OpaquePointer?
    private let slots: UnsafeMutablePointer<Slot>
    private var freeSlots: [Int32]
    private let fields: UnsafeMutablePointer<nghttp2_nv>
    private var uniqueID = HTTP2UniqueID()
    private var hasSubmitted = false
    /// The last submitted request, until nghttp2 has made its HEADERS: nghttp2's callbacks name it by stream only, and
    /// it reads the fields in place.
    private var unsent: (stream: Int32, slot: UnsafeMutablePointer<Slot>, headers: HTTP2HeaderTemplate)?

    init(slotCount: Int, replyBytesMax: Int, keepsHeaders: Bool = false) {
        self.slotCount = slotCount
        self.replyBytesMax = replyBytesMax
        self.keepsHeaders = keepsHeaders
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Slot(), count: slotCount)
        freeSlots = (0..<Int32(slotCount)).reversed()
        fields = .allocate(capacity: HTTP2HeaderTemplate.fieldsMax)
        var callbacks: OpaquePointer?
        precondition(nghttp2_session_callbacks_new(&callbacks) == 0, "out of memory")
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.set(callbacks)
        let status = nghttp2_session_client_new(&raw, callbacks, Unmanaged.passUnretained(self).toOpaque())
        precondition(status == 0, "out of memory")
        let settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(HTTP2HeaderAllowance.bytesMax)),
        ]
        nghttp2_submit_settings(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
    }

    deinit {
        nghttp2_session_del(raw)
        slots.deinitialize(count: slotCount)
        slots.deallocate()
        fields.deallocate()
    }

    // MARK: - Bytes

    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) { try HTTP2SessionBytes.put(bytes, into: raw) }

    func nextOutput() throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        let bytes = try HTTP2SessionBytes.take(from: raw)
        outputBytes += UInt64(bytes?.count ?? 0)
        return bytes
    }

    var isFinished: Bool { HTTP2SessionBytes.isFinished(raw) }

    // MARK: - Requests

    /// Whether a request with a body of this size can leave whole now: a stream is free, and both the connection's and
    /// a new stream's window have room. A request that waits half sent could not be withdrawn.
    ///
    /// A peer whose windows are smaller than any body gets one request at a time, which may wait half sent: otherwise
    /// nothing would ever leave.
    func hasRoom(forBody bytes: Int) -> Bool {
        guard unsent == nil, inFlight < slotCount, goAway == nil else { return false }
        let streams = nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        guard inFlight < Int(streams) else { return false }
        guard inFlight > 0 else { return true }
        let ofStream = nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
        return min(Int(nghttp2_session_get_remote_window_size(raw)), Int(ofStream)) >= bytes
    }

    /// Submits a request; `nextOutput` returns its bytes next.
    /// - Parameters:
    ///   - path: the value of `:path`, which is copied.
    ///   - deadline: the deadline by the clock that the caller passes to `expire`.
    /// - Returns: false when no more streams can be opened on this connection.
    func submit(
        path: UnsafeBufferPointer<UInt8>, headers: HTTP2HeaderTemplate, body: HTTP2SharedBody, tag: Int, deadline: Int64
    ) -> Bool {
        guard let index = freeSlots.popLast() else { return false }
        let slot = slots + Int(index)
        let count = headers.copyNative(to: fields, path: path, id: &uniqueID, isFirst: !hasSubmitted)
        var provider = nghttp2_data_provider()
        provider.source.ptr = UnsafeMutableRawPointer(slot)
        provider.read_callback = Self.readBody
        let stream =
            body.count == 0
            ? nghttp2_submit_request(raw, nil, fields, count, nil, slot)
            : nghttp2_submit_request(raw, nil, fields, count, &provider, slot)
        guard stream > 0 else {
            freeSlots.append(index)
            return false
        }
        slot.pointee.tag = tag
        slot.pointee.stream = stream
        slot.pointee.body = body
        slot.pointee.deadline = deadline
        unsent = (stream, slot, headers)
        hasSubmitted = true
        inFlight += 1
        return true
    }

    /// Resets requests whose deadline has passed by `now`; their outcome is unknown.
    /// - Returns: whether there was any, so that there are bytes to send.
    func expire(now: Int64) -> Bool {
        var any = false
        for slot in slots..<slots + slotCount where slot.pointee.stream != 0 && slot.pointee.deadline <= now {
            // A request that nghttp2 has not begun to send is left for the next call.
            guard !slot.pointee.isTold, unsent?.slot != slot else { continue }
            nghttp2_submit_rst_stream(
                raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), slot.pointee.stream, HTTP2ErrorCode.cancel.rawValue)
            slot.pointee.isTold = true
            onOutcome(slot.pointee.tag, .unknown(.deadline))
            any = true
        }
        return any
    }

    /// Ends all requests in flight, because the connection is lost.
    /// - Parameter writtenBytes: the bytes of the output that were written; a request that begins after them cannot
    ///   have reached the peer.
    func abandon(writtenBytes: UInt64, _ reason: String) {
        for slot in slots..<slots + slotCount where slot.pointee.stream != 0 {
            let mayHaveLeft = slot.pointee.headersOffset < writtenBytes
            finish(slot, mayHaveLeft ? .unknown(.connectionLost(reason)) : .refused)
        }
    }

    func ping() { nghttp2_submit_ping(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Sends GOAWAY to the peer.
    func sayGoodbye() { nghttp2_session_terminate_session(raw, HTTP2ErrorCode.noError.rawValue) }

    /// The number of streams that the peer allows at once.
    var peerConcurrentStreamsMax: Int {
        Int(nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    private func finish(_ slot: UnsafeMutablePointer<Slot>, _ outcome: HTTP2Outcome) {
        let (tag, isTold) = (slot.pointee.tag, slot.pointee.isTold)
        if unsent?.slot == slot { unsent = nil }
        slot.pointee = Slot()
        freeSlots.append(Int32(slot - slots))
        inFlight -= 1
        if !isTold { onOutcome(tag, outcome) }
    }

    // MARK: - Callbacks

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            session, frame, name, nameCount, value, count, _, me in
            guard let me, let frame, let slot = HTTP2SendingSession.slot(session, frame.pointee.hd.stream_id) else {
                return 0
            }
            let isAdmitted = slot.pointee.take(
                UnsafeBufferPointer(start: name, count: nameCount), UnsafeBufferPointer(start: value, count: count),
                keepsAll: HTTP2SendingSession.from(me).keepsHeaders)
            return isAdmitted ? 0 : HTTP2SessionBytes.refuseHeaders(session, frame.pointee.hd.stream_id)
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, stream, data, count, me in
            guard let me, let slot = HTTP2SendingSession.slot(session, stream) else { return 0 }
            let room = HTTP2SendingSession.from(me).replyBytesMax - slot.pointee.reply.body.count
            slot.pointee.reply.body.append(contentsOf: UnsafeBufferPointer(start: data, count: min(count, room)))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, me in
            guard let frame, let me else { return 0 }
            let header = frame.pointee.hd
            if header.stream_id != 0 {
                if UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 {
                    HTTP2SendingSession.slot(session, header.stream_id)?.pointee.isAnswered = true
                }
                return 0
            }
            HTTP2SendingSession.from(me).gotConnectionFrame(frame.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, stream, code, me in
            // A request that was given up unsent has had its outcome, and its slot may belong to another one.
            guard let me, let slot = HTTP2SendingSession.slot(session, stream), slot.pointee.stream == stream else {
                return 0
            }
            HTTP2SendingSession.from(me).closed(slot, HTTP2ErrorCode(rawValue: code))
            return 0
        }
        nghttp2_session_callbacks_set_before_frame_send_callback(callbacks) { _, frame, me in
            guard let frame, let me, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
            HTTP2SendingSession.from(me).willSendHeaders(frame.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, me in
            guard let frame, let me, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
            HTTP2SendingSession.from(me).didNotSend(frame.pointee.hd.stream_id)
            return 0
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> HTTP2SendingSession {
        Unmanaged<HTTP2SendingSession>.fromOpaque(context).takeUnretainedValue()
    }

    private static func slot(_ session: OpaquePointer?, _ stream: Int32) -> UnsafeMutablePointer<Slot>? {
        nghttp2_session_get_stream_user_data(session, stream)?.assumingMemoryBound(to: Slot.self)
    }

    private static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, capacity, flags, source, _ in
        guard let buffer, let flags, let slot = source?.pointee.ptr?.assumingMemoryBound(to: Slot.self) else {
            return 0
        }
        // A slot without a body means that the request is over already.
        guard let body = slot.pointee.body else { return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        let offset = slot.pointee.bodyOffset
        let count = min(capacity, body.count - offset)
        if let start = body.bytes.baseAddress { buffer.update(from: start + offset, count: count) }
        slot.pointee.bodyOffset = offset + count
        if offset + count == body.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }

    private func gotConnectionFrame(_ frame: nghttp2_frame) {
        let isAcknowledgement = UInt32(frame.hd.flags) & NGHTTP2_FLAG_ACK.rawValue != 0
        switch nghttp2_frame_type(UInt32(frame.hd.type)) {
        case NGHTTP2_SETTINGS where !isAcknowledgement: hasSettings = true
        case NGHTTP2_PING where isAcknowledgement: pongs += 1
        case NGHTTP2_GOAWAY:
            let debug = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
            goAway = GoAway(
                code: HTTP2ErrorCode(rawValue: frame.goaway.error_code), debugData: Array(debug.prefix(256)))
        default: break
        }
    }

    private func closed(_ slot: UnsafeMutablePointer<Slot>, _ code: HTTP2ErrorCode) {
        let outcome: HTTP2Outcome =
            if slot.pointee.isAnswered, slot.pointee.reply.status != 0 {
                .response(slot.pointee.reply)
            } else if code == .refusedStream { .refused } else { .unknown(.reset(code)) }
        finish(slot, outcome)
    }

    private func willSendHeaders(_ stream: Int32) {
        guard let unsent, unsent.stream == stream else { return }
        unsent.slot.pointee.headersOffset = outputBytes
        self.unsent = nil
    }

    /// Ends a request that nghttp2 gave up before a byte of it left, because a GOAWAY came in between.
    private func didNotSend(_ stream: Int32) {
        guard let unsent, unsent.stream == stream else { return }
        finish(unsent.slot, .refused)
    }
}
