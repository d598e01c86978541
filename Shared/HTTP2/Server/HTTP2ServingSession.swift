internal import CNGHTTP2

/// The server's end of an HTTP/2 connection for very many small requests. It allocates nothing per request, and hands
/// each on in place.
///
/// It exchanges bytes, like `HTTP2SendingSession`. The part of the connection's window that a request has used is
/// returned when it is answered (or never will be), so that an answer's delay affects the sender as a network's would.
/// It is not thread-safe; it belongs to the thread that moves its bytes.
final class HTTP2ServingSession: HTTP2ByteEnd {
    /// One request between its HEADERS and the end of its stream.
    private struct Slot {
        /// The stream; 0 while the slot is free.
        var stream: Int32 = 0
        /// The bytes of the request while it arrives.
        var arrival: HTTP2ArrivalBytes?
        var allowance = HTTP2HeaderAllowance()
        /// Body bytes that were not returned to the connection's window yet.
        var held = 0
        /// The request is not answered any more.
        var isDropped = false
        /// The limit on concurrent streams to announce with the answer; nil for no change.
        var streamsMax: Int?
        var answer: HTTP2Answer?
        var values = HTTP2Answer.Values()
        var bodyOffset = 0
    }

    let id: HTTP2ConnectionID
    /// The longest body that is kept; longer ones are cut off and marked.
    let bodyBytesMax: Int
    private(set) var outputBytes: UInt64 = 0
    /// The connection was given up on purpose; later requests are ignored.
    private(set) var isDisconnected = false
    /// Called with each complete request while bytes are taken in.
    var onRequest: (HTTP2Arrival) -> Void = { _ in }

    private var raw: OpaquePointer?
    private var freeSlots: [UnsafeMutablePointer<Slot>] = []
    private var slots: [UnsafeMutablePointer<Slot>] = []
    private var freeArrivals: [HTTP2ArrivalBytes] = []
    private let fields: UnsafeMutablePointer<nghttp2_nv>
    private let windowBytes: Int
    /// Body bytes held by incomplete requests. They never hold more than half of the window, because otherwise no
    /// request could be completed.
    private var incompleteBytes = 0
    /// Window bytes to return with the next output: not one update per request, but soon enough to leave the sender
    /// nearly all of the window.
    private var owedBytes = 0
    private var lastStreamTaken = Int32.max
    /// The highest stream whose request was handed on.
    private(set) var handedThrough: Int32 = 0

    init(id: HTTP2ConnectionID, settings: HTTP2Settings, bodyBytesMax: Int) {
        self.id = id
        self.bodyBytesMax = bodyBytesMax
        windowBytes = settings.connectionWindowBytes ?? 65_535
        fields = .allocate(capacity: HTTP2Answer.fieldsMax)
        var callbacks: OpaquePointer?
        var option: OpaquePointer?
        precondition(
            nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0, "out of memory")
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(option)
        }
        Self.set(callbacks)
        nghttp2_option_set_no_auto_window_update(option, 1)
        nghttp2_option_set_no_closed_streams(option, 1)
        let status = nghttp2_session_server_new2(
            &raw, callbacks, Unmanaged.passUnretained(self).toOpaque(), option)
        precondition(status == 0, "out of memory")
        announce(settings, headerListBytes: HTTP2HeaderAllowance.bytesMax)
        if let bytes = settings.connectionWindowBytes {
            nghttp2_session_set_local_window_size(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(clamping: bytes))
        }
    }

    deinit {
        nghttp2_session_del(raw)
        for slot in slots {
            slot.deinitialize(count: 1)
            slot.deallocate()
        }
        fields.deallocate()
    }

    // MARK: - Bytes

    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) { try HTTP2SessionBytes.put(bytes, into: raw) }

    func nextOutput() throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        if owedBytes * 16 >= windowBytes {
            nghttp2_submit_window_update(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(clamping: owedBytes))
            owedBytes = 0
        }
        let bytes = try HTTP2SessionBytes.take(from: raw)
        outputBytes += UInt64(bytes?.count ?? 0)
        return bytes
    }

    var isFinished: Bool { HTTP2SessionBytes.isFinished(raw) }

    // MARK: - Answers

    /// Carries out the decision about a stream; nothing happens when the stream is gone or was given up before.
    func answer(stream: Int32, _ reply: HTTP2Reply) {
        guard let slot = Self.slot(raw, stream), !slot.pointee.isDropped, slot.pointee.answer == nil else { return }
        release(slot)
        if let streamsMax = slot.pointee.streamsMax { announce(.init(concurrentStreamsMax: streamsMax)) }
        switch reply {
        case .respond(let response): submit(HTTP2Answer(response), slot)
        case .answer(let answer, let values):
            slot.pointee.values = values
            submit(answer, slot)
        case .reset(let code): reset(stream: stream, code)
        case .silence: slot.pointee.isDropped = true
        case .disconnect: isDisconnected = true
        }
    }

    /// Announces another limit on concurrent streams together with the answer to this stream.
    func setConcurrentStreamsMax(_ count: Int, withAnswerTo stream: Int32) {
        Self.slot(raw, stream)?.pointee.streamsMax = count
    }

    func reset(stream: Int32, _ code: HTTP2ErrorCode) {
        Self.slot(raw, stream)?.pointee.isDropped = true
        nghttp2_submit_rst_stream(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    /// Sends GOAWAY: streams above `lastStream` will not be processed. The default is the last stream seen.
    func goAway(lastStream: Int32? = nil, _ code: HTTP2ErrorCode, debugData: [UInt8] = []) {
        let last = lastStream ?? nghttp2_session_get_last_proc_stream_id(raw)
        nghttp2_submit_goaway(
            raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, debugData, debugData.count)
        lastStreamTaken = min(lastStreamTaken, last)
        for slot in slots where slot.pointee.stream > last { slot.pointee.isDropped = true }
    }

    /// Sends SETTINGS with the values that are not nil.
    func announce(_ settings: HTTP2Settings) { announce(settings, headerListBytes: nil) }

    private func announce(_ settings: HTTP2Settings, headerListBytes: Int?) {
        var entries: [nghttp2_settings_entry] = []
        func add(_ id: nghttp2_settings_id, _ value: Int?) {
            guard let value else { return }
            entries.append(nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value)))
        }
        add(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.concurrentStreamsMax)
        add(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindowBytes)
        add(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, headerListBytes)
        nghttp2_submit_settings(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    private func submit(_ answer: HTTP2Answer, _ slot: UnsafeMutablePointer<Slot>) {
        slot.pointee.answer = answer
        let values = UnsafeMutableRawPointer(slot).advanced(by: Self.valuesOffset)
            .assumingMemoryBound(to: HTTP2Answer.Values.self)
        let count = answer.copyNative(to: fields, values: values)
        if answer.body.count == 0 {
            nghttp2_submit_response(raw, slot.pointee.stream, fields, count, nil)
        } else {
            var provider = nghttp2_data_provider()
            provider.source.ptr = UnsafeMutableRawPointer(slot)
            provider.read_callback = Self.readBody
            nghttp2_submit_response(raw, slot.pointee.stream, fields, count, &provider)
        }
    }

    private static let valuesOffset = MemoryLayout<Slot>.offset(of: \Slot.values) ?? 0

    private func release(_ slot: UnsafeMutablePointer<Slot>) {
        owedBytes += slot.pointee.held
        slot.pointee.held = 0
    }

    // MARK: - Callbacks

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, me in
            guard let frame, let me else { return 0 }
            HTTP2ServingSession.from(me).beganHeaders(frame.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            session, frame, name, nameCount, value, count, flags, _ in
            guard let frame, let slot = HTTP2ServingSession.slot(session, frame.pointee.hd.stream_id) else { return 0 }
            guard slot.pointee.allowance.admit(nameCount, count) else {
                slot.pointee.isDropped = true
                return HTTP2SessionBytes.refuseHeaders(session, frame.pointee.hd.stream_id)
            }
            slot.pointee.arrival?.add(
                name, nameCount, value, count,
                neverIndexed: UInt32(flags) & NGHTTP2_NV_FLAG_NO_INDEX.rawValue != 0)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, stream, data, count, me in
            guard let me else { return 0 }
            HTTP2ServingSession.from(me).gotData(stream, data, count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, me in
            guard let frame, let me else { return 0 }
            let header = frame.pointee.hd
            guard header.stream_id != 0, UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0,
                let slot = HTTP2ServingSession.slot(session, header.stream_id)
            else { return 0 }
            HTTP2ServingSession.from(me).completed(slot)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, stream, _, me in
            guard let me, let slot = HTTP2ServingSession.slot(session, stream) else { return 0 }
            HTTP2ServingSession.from(me).closed(slot)
            return 0
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> HTTP2ServingSession {
        Unmanaged<HTTP2ServingSession>.fromOpaque(context).takeUnretainedValue()
    }

    private static func slot(_ session: OpaquePointer?, _ stream: Int32) -> UnsafeMutablePointer<Slot>? {
        nghttp2_session_get_stream_user_data(session, stream)?.assumingMemoryBound(to: Slot.self)
    }

    private static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, capacity, flags, source, _ in
        guard let buffer, let flags, let slot = source?.pointee.ptr?.assumingMemoryBound(to: Slot.self),
            let body = slot.pointee.answer?.body
        else { return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        let offset = slot.pointee.bodyOffset
        let count = min(capacity, body.count - offset)
        if let start = body.bytes.baseAddress { buffer.update(from: start + offset, count: count) }
        slot.pointee.bodyOffset = offset + count
        if offset + count == body.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }

    private func beganHeaders(_ stream: Int32) {
        // Trailers belong to their request, which has its slot already.
        guard Self.slot(raw, stream) == nil else { return }
        let slot: UnsafeMutablePointer<Slot>
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = .allocate(capacity: 1)
            slot.initialize(to: Slot())
            slots.append(slot)
        }
        slot.pointee.stream = stream
        slot.pointee.arrival = freeArrivals.popLast() ?? HTTP2ArrivalBytes()
        nghttp2_session_set_stream_user_data(raw, stream, slot)
    }

    private func gotData(_ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) {
        nghttp2_session_consume_stream(raw, stream, count)
        guard let slot = Self.slot(raw, stream), let arrival = slot.pointee.arrival else {
            owedBytes += count
            return
        }
        let room = bodyBytesMax - arrival.body.count
        arrival.body.append(bytes, min(room, count))
        if count > room { arrival.bodyIsTooLarge = true }
        if incompleteBytes + count > windowBytes / 2 {
            owedBytes += count
        } else {
            incompleteBytes += count
            slot.pointee.held += count
        }
    }

    private func completed(_ slot: UnsafeMutablePointer<Slot>) {
        guard let arrival = slot.pointee.arrival else { return }
        slot.pointee.arrival = nil
        incompleteBytes -= slot.pointee.held
        if isDisconnected || slot.pointee.isDropped || slot.pointee.stream > lastStreamTaken {
            slot.pointee.isDropped = true
            release(slot)
        } else {
            onRequest(HTTP2Arrival(id, slot.pointee.stream, self, arrival))
            // The stream counts as handed on only now, because `onRequest` may refuse it with a GOAWAY that names the
            // stream before it.
            handedThrough = max(handedThrough, slot.pointee.stream)
        }
        reuse(arrival)
    }

    private func closed(_ slot: UnsafeMutablePointer<Slot>) {
        if let arrival = slot.pointee.arrival {
            incompleteBytes -= slot.pointee.held
            reuse(arrival)
        }
        release(slot)
        nghttp2_session_set_stream_user_data(raw, slot.pointee.stream, nil)
        slot.pointee = Slot()
        freeSlots.append(slot)
    }

    private func reuse(_ arrival: HTTP2ArrivalBytes) {
        arrival.removeAll()
        freeArrivals.append(arrival)
    }
}
