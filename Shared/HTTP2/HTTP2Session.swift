internal import CNGHTTP2

/// One end of an HTTP/2 connection without a socket: bytes go in and become events, calls become bytes that come out.
/// Both ends can talk in memory. Not thread-safe; it belongs to whoever moves its bytes.
public final class HTTP2Session: HTTP2ByteEnd {
    public enum Role: Sendable { case client, server }

    /// What this end announces.
    public struct Settings: Sendable {
        /// Streams the peer may have open at once.
        public var concurrentStreamsMax: Int?
        public var initialWindowBytes: Int?
        public var headerTableBytes: Int?
        public var headerListBytes: Int?

        public init(
            concurrentStreamsMax: Int? = nil, initialWindowBytes: Int? = nil, headerTableBytes: Int? = nil,
            headerListBytes: Int? = nil
        ) {
            self.concurrentStreamsMax = concurrentStreamsMax
            self.initialWindowBytes = initialWindowBytes
            self.headerTableBytes = headerTableBytes
            self.headerListBytes = headerListBytes
        }
    }

    /// A request or an answer that is complete.
    public struct Message: Sendable, Equatable {
        public var fields: [HTTP2Field]
        public var body: [UInt8]
        /// The body went on beyond what is kept.
        public var bodyIsTooLarge: Bool

        public init(fields: [HTTP2Field], body: [UInt8], bodyIsTooLarge: Bool) {
            self.fields = fields
            self.body = body
            self.bodyIsTooLarge = bodyIsTooLarge
        }
    }

    public enum Event: Sendable, Equatable {
        case message(stream: Int32, Message)
        /// The stream is over. A client that had no message gets no answer any more; `refusedStream` (also for streams
        /// above GOAWAY's last one) says that it was never processed.
        case closed(stream: Int32, HTTP2ErrorCode)
        /// The peer takes no further streams.
        case goAway(lastStream: Int32, HTTP2ErrorCode, debugData: [UInt8])
        case settings
        case pong
    }

    private struct Stream {
        var fields: [HTTP2Field] = []
        var body: [UInt8] = []
        var bodyIsTooLarge = false
        var outgoing: [UInt8] = []
        var outgoingOffset = 0
        var headersOffset: UInt64?
    }

    public let role: Role
    /// Longer bodies are cut off and marked.
    public let bodyBytesMax: Int
    /// Bytes that `nextOutput` has given out so far.
    public private(set) var outputBytes: UInt64 = 0

    private var raw: OpaquePointer?
    private var streams: [Int32: Stream] = [:]
    private var events: [Event] = []

    public init(role: Role, settings: Settings, bodyBytesMax: Int) {
        self.role = role
        self.bodyBytesMax = bodyBytesMax
        var callbacks: OpaquePointer?
        precondition(nghttp2_session_callbacks_new(&callbacks) == 0, "out of memory")
        defer { nghttp2_session_callbacks_del(callbacks) }
        HTTP2Session.set(callbacks)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let status =
            role == .client
            ? nghttp2_session_client_new(&raw, callbacks, context)
            : nghttp2_session_server_new(&raw, callbacks, context)
        precondition(status == 0, "out of memory")
        announce(settings)
    }

    deinit { nghttp2_session_del(raw) }

    // MARK: - Bytes

    /// Takes in what the peer sent.
    /// - Throws: when the connection cannot go on; `nextOutput` may still have a GOAWAY to send.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        let count = nghttp2_session_mem_recv(raw, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        guard count == bytes.count else {
            throw HTTP2Error(.httpProtocol, String(cString: nghttp2_strerror(Int32(clamping: count))))
        }
    }

    /// The next bytes for the peer, about one frame, valid until the next call; nil when there is nothing to send now.
    public func nextOutput() throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        var pointer: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(raw, &pointer)
        guard count >= 0 else {
            throw HTTP2Error(.httpProtocol, String(cString: nghttp2_strerror(Int32(clamping: count))))
        }
        guard count > 0, let pointer else { return nil }
        outputBytes += UInt64(count)
        return UnsafeRawBufferPointer(start: pointer, count: count)
    }

    /// What happened since the last call, in order.
    public func takeEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Both ends have said all they will: close the socket.
    public var isFinished: Bool {
        nghttp2_session_want_read(raw) == 0 && nghttp2_session_want_write(raw) == 0
    }

    // MARK: - Client

    /// Opens a stream. Nil when no more streams can be opened on this connection.
    public func request(path: String, headers: HTTP2HeaderTemplate, body: [UInt8]) -> Int32? {
        var provider = HTTP2Session.bodyProvider()
        let stream = headers.withNative(path: path) { fields, count in
            body.isEmpty
                ? nghttp2_submit_request(raw, nil, fields, count, nil, nil)
                : nghttp2_submit_request(raw, nil, fields, count, &provider, nil)
        }
        guard stream > 0 else { return nil }
        streams[stream] = Stream(outgoing: body)
        return stream
    }

    /// Where in the output the stream's first byte is; nil while it is not part of the output.
    public func outputOffset(ofStream stream: Int32) -> UInt64? { streams[stream]?.headersOffset }

    /// Streams that the peer lets us have open at once.
    public var peerConcurrentStreamsMax: Int {
        Int(nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// Body bytes that the peer takes now on the whole connection.
    public var peerWindowBytes: Int { Int(nghttp2_session_get_remote_window_size(raw)) }

    // MARK: - Server

    /// Answers a stream; nothing happens when it is gone.
    public func respond(stream: Int32, _ response: HTTP2Response) {
        guard streams[stream] != nil else { return }
        let template = HTTP2FieldBlock([HTTP2Field(":status", String(response.status))] + response.headers)
        streams[stream]?.outgoing = response.body
        streams[stream]?.outgoingOffset = 0
        var provider = HTTP2Session.bodyProvider()
        template.withNative { fields, count in
            _ =
                response.body.isEmpty
                ? nghttp2_submit_response(raw, stream, fields, count, nil)
                : nghttp2_submit_response(raw, stream, fields, count, &provider)
        }
    }

    // MARK: - Both

    /// Changes what this end announces.
    public func announce(_ settings: Settings) {
        var entries: [nghttp2_settings_entry] = []
        func add(_ id: nghttp2_settings_id, _ value: Int?) {
            guard let value else { return }
            entries.append(nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value)))
        }
        if role == .client { add(NGHTTP2_SETTINGS_ENABLE_PUSH, 0) }
        add(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.concurrentStreamsMax)
        add(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindowBytes)
        add(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableBytes)
        add(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.headerListBytes)
        nghttp2_submit_settings(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    public func reset(stream: Int32, _ code: HTTP2ErrorCode) {
        nghttp2_submit_rst_stream(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    public func ping() { nghttp2_submit_ping(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Tells the peer that streams above `lastStream` will not be processed. The default is the last one seen.
    public func goAway(lastStream: Int32? = nil, _ code: HTTP2ErrorCode, debugData: [UInt8] = []) {
        let last = lastStream ?? nghttp2_session_get_last_proc_stream_id(raw)
        nghttp2_submit_goaway(
            raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, debugData, debugData.count)
    }

    // MARK: - Callbacks

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, count, flags, me in
            guard let frame, let me else { return 0 }
            let field = HTTP2Field(
                String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(start: value, count: count), as: UTF8.self),
                neverIndexed: UInt32(flags) & NGHTTP2_NV_FLAG_NO_INDEX.rawValue != 0)
            HTTP2Session.from(me).gotField(frame.pointee.hd.stream_id, field)
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, me in
            guard let frame, let me else { return 0 }
            HTTP2Session.from(me).beganHeaders(frame.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, count, me in
            guard let me else { return 0 }
            HTTP2Session.from(me).gotData(stream, UnsafeBufferPointer(start: data, count: count))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, me in
            guard let frame, let me else { return 0 }
            HTTP2Session.from(me).gotFrame(frame.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, me in
            guard let me else { return 0 }
            HTTP2Session.from(me).streamClosed(stream, code)
            return 0
        }
        nghttp2_session_callbacks_set_before_frame_send_callback(callbacks) { _, frame, me in
            guard let frame, let me else { return 0 }
            HTTP2Session.from(me).willSend(frame.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, me in
            guard let frame, let me else { return 0 }
            HTTP2Session.from(me).didNotSend(frame.pointee)
            return 0
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> HTTP2Session {
        Unmanaged<HTTP2Session>.fromOpaque(context).takeUnretainedValue()
    }

    private static func bodyProvider() -> nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source()) { _, stream, buffer, capacity, flags, _, me in
            guard let buffer, let me, let flags else { return 0 }
            let (count, ends) = HTTP2Session.from(me).readBody(
                stream, into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
            if ends { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return count
        }
    }

    private func readBody(_ stream: Int32, into buffer: UnsafeMutableRawBufferPointer) -> (Int, ends: Bool) {
        guard let state = streams[stream] else { return (0, true) }
        let count = min(buffer.count, state.outgoing.count - state.outgoingOffset)
        state.outgoing.withUnsafeBytes {
            buffer.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: $0[state.outgoingOffset..<state.outgoingOffset + count]))
        }
        streams[stream]?.outgoingOffset += count
        return (count, state.outgoingOffset + count == state.outgoing.count)
    }

    private func beganHeaders(_ stream: Int32) {
        if role == .server, streams[stream] == nil { streams[stream] = Stream() }
    }

    private func gotField(_ stream: Int32, _ field: HTTP2Field) {
        // The fields of an interim answer (1xx) give way to those of the final one.
        if field.name == ":status" { streams[stream]?.fields.removeAll() }
        streams[stream]?.fields.append(field)
    }

    private func gotData(_ stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let room = streams[stream].map({ bodyBytesMax - $0.body.count }) else { return }
        streams[stream]?.body.append(contentsOf: bytes.prefix(room))
        if bytes.count > room { streams[stream]?.bodyIsTooLarge = true }
    }

    private func gotFrame(_ frame: nghttp2_frame) {
        let isEnd = UInt32(frame.hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
        let isAcknowledgement = UInt32(frame.hd.flags) & NGHTTP2_FLAG_ACK.rawValue != 0
        switch nghttp2_frame_type(UInt32(frame.hd.type)) {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            let id = frame.hd.stream_id
            guard isEnd, let stream = streams[id] else { return }
            let message = Message(fields: stream.fields, body: stream.body, bodyIsTooLarge: stream.bodyIsTooLarge)
            streams[id]?.fields = []
            streams[id]?.body = []
            events.append(.message(stream: id, message))
        case NGHTTP2_SETTINGS where !isAcknowledgement: events.append(.settings)
        case NGHTTP2_PING where isAcknowledgement: events.append(.pong)
        case NGHTTP2_GOAWAY:
            let goAway = frame.goaway
            let debug = UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            events.append(
                .goAway(
                    lastStream: goAway.last_stream_id, HTTP2ErrorCode(rawValue: goAway.error_code),
                    debugData: Array(debug)))
        default: break
        }
    }

    private func streamClosed(_ stream: Int32, _ code: UInt32) {
        streams[stream] = nil
        events.append(.closed(stream: stream, HTTP2ErrorCode(rawValue: code)))
    }

    private func willSend(_ frame: nghttp2_frame) {
        guard frame.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return }
        streams[frame.hd.stream_id]?.headersOffset = outputBytes
    }

    /// A request that nghttp2 gave up before a byte of it left (a GOAWAY came in between).
    private func didNotSend(_ frame: nghttp2_frame) {
        let id = frame.hd.stream_id
        guard role == .client, frame.hd.type == UInt8(NGHTTP2_HEADERS.rawValue), streams[id] != nil else { return }
        streams[id] = nil
        events.append(.closed(stream: id, .refusedStream))
    }
}
