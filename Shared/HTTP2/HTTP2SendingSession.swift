internal import CNGHTTP2

/// The client's end of an HTTP/2 connection that sends very many small requests: it allocates nothing for a request of its
/// own, and says nothing of an answer but its status, the beginning of its body, and of a refusal when to
/// come again.
///
/// Bytes go in and out, as with `HTTP2ServingSession`. Not thread-safe; it belongs to whoever moves its bytes.
final class HTTP2SendingSession: HTTP2ByteEnd {
    /// One request between its submission and its end.
    private struct Slot {
        var tag = 0
        /// 0: free.
        var stream: Int32 = 0
        var isAnswered = false
        var interimAnswers = 0
        /// Its deadline has passed, and its outcome was told; the slot is free again when its stream is closed.
        var isTold = false
        var bodyOffset = 0
        var deadline: Int64 = 0
        /// Where in the output its first byte is; `.max` while it is not part of it.
        var headersOffset = UInt64.max
        var body: HTTP2SharedBody?
        var reply = HTTP2Response(status: 0)
    }

    struct GoAway {
        var code: HTTP2ErrorCode
        var debugData: [UInt8]
    }

    /// Interim answers (1xx) that may come before an answer, which needs one at most; a server that sends them for ever
    /// keeps a stream busy that it never answers.
    static let interimAnswersMax = 16

    /// Requests that may be under way at once.
    let slotCount: Int
    /// Of an answer's body; what goes beyond is left out.
    let replyBytesMax: Int
    /// Answers come with their header fields.
    let keepsHeaders: Bool
    private(set) var outputBytes: UInt64 = 0
    private(set) var inFlight = 0
    private(set) var hasSettings = false
    private(set) var goAway: GoAway?
    /// PINGs that the peer has answered.
    private(set) var pongs = 0
    /// Told while bytes are taken in or given out: must not call back into the session.
    var onOutcome: (_ tag: Int, HTTP2Outcome) -> Void = { _, _ in }

    private var raw: OpaquePointer?
    private let slots: UnsafeMutablePointer<Slot>
    private var freeSlots: [Int32]
    private let fields: UnsafeMutablePointer<nghttp2_nv>
    private var uniqueID = HTTP2UniqueID()
    private var hasSubmitted = false
    /// The last submitted request, until nghttp2 has made its HEADERS: it names them by stream only, and reads the fields
    /// where they are.
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

    /// Whether a request with a body of this size can leave whole now: a stream is free, and the peer's windows have room,
    /// the connection's and a new stream's, so that it does not wait half sent, where it could not be withdrawn.
    ///
    /// A peer whose windows are smaller than any body gets one request at a time, which may wait so: without it nothing
    /// would ever leave.
    func hasRoom(forBody bytes: Int) -> Bool {
        guard unsent == nil, inFlight < slotCount, goAway == nil else { return false }
        let streams = nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        guard inFlight < Int(streams) else { return false }
        guard inFlight > 0 else { return true }
        let ofStream = nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
        return min(Int(nghttp2_session_get_remote_window_size(raw)), Int(ofStream)) >= bytes
    }

    /// Submits a request; `nextOutput` gives its bytes next.
    /// - Parameters:
    ///   - path: copied.
    ///   - deadline: by any clock of the caller's; see `expire`.
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

    /// Resets what should have been answered by `now`: its outcome is unknown.
    /// - Returns: whether there was any, and there is something to send.
    func expire(now: Int64) -> Bool {
        var any = false
        for slot in slots..<slots + slotCount where slot.pointee.stream != 0 && slot.pointee.deadline <= now {
            // One that nghttp2 has not begun with has not left: its turn comes at the next look.
            guard !slot.pointee.isTold, unsent?.slot != slot else { continue }
            nghttp2_submit_rst_stream(
                raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), slot.pointee.stream, HTTP2ErrorCode.cancel.rawValue)
            slot.pointee.isTold = true
            onOutcome(slot.pointee.tag, .unknown(.deadline))
            any = true
        }
        return any
    }

    /// The connection is lost: ends everything under way.
    /// - Parameter writtenBytes: of the output; what begins behind them cannot have reached the peer.
    func abandon(writtenBytes: UInt64, _ reason: String) {
        for slot in slots..<slots + slotCount where slot.pointee.stream != 0 {
            let mayHaveLeft = slot.pointee.headersOffset < writtenBytes
            finish(slot, mayHaveLeft ? .unknown(.connectionLost(reason)) : .refused)
        }
    }

    func ping() { nghttp2_submit_ping(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Says good-bye to the peer.
    func sayGoodbye() { nghttp2_session_terminate_session(raw, HTTP2ErrorCode.noError.rawValue) }

    /// Streams that the peer lets us have open at once.
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
            guard let me, let frame, let name, let value,
                let slot = HTTP2SendingSession.slot(session, frame.pointee.hd.stream_id)
            else { return 0 }
            // `:status` is the only pseudo-header field of an answer; of interim answers (1xx) the final one makes nothing.
            if name[0] == UInt8(ascii: ":") {
                slot.pointee.reply = HTTP2Response(status: 0)
                for index in 0..<min(count, 3) {
                    slot.pointee.reply.status = slot.pointee.reply.status * 10 + Int(value[index]) - 48
                }
                if slot.pointee.reply.status < 200 { HTTP2SendingSession.gotInterimAnswer(session, slot) }
            } else if HTTP2SendingSession.from(me).keepsHeaders
                || slot.pointee.reply.status != 200 && HTTP2SendingSession.isRetryAfter(name, nameCount)
            {
                slot.pointee.reply.headers.append(
                    HTTP2Field(
                        String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self),
                        String(decoding: UnsafeBufferPointer(start: value, count: count), as: UTF8.self)))
            }
            return 0
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
            // A request that was given up unsent had its outcome, and its slot may be another's.
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

    private static func gotInterimAnswer(_ session: OpaquePointer?, _ slot: UnsafeMutablePointer<Slot>) {
        slot.pointee.interimAnswers += 1
        guard slot.pointee.interimAnswers == interimAnswersMax + 1 else { return }
        // The outcome is told when the stream is closed by it.
        nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), slot.pointee.stream, HTTP2ErrorCode.enhanceYourCalm.rawValue)
    }

    /// Of a refusal it is kept in any case: few answers have it, and it asks for something.
    private static func isRetryAfter(_ name: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        UnsafeBufferPointer(start: name, count: count).elementsEqual("retry-after".utf8)
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
        // Without a body its request is over already.
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

    /// nghttp2 gave the request up before a byte of it left: a GOAWAY came in between.
    private func didNotSend(_ stream: Int32) {
        guard let unsent, unsent.stream == stream else { return }
        finish(unsent.slot, .refused)
    }
}
