public import SightscreenModels

/// The content of a push of type `liveactivity`. `encode()` is called once per version and variant; all devices that
/// get them share the bytes.
public struct LiveActivityPayload: Hashable, Sendable {
    /// The part that only a start carries. iOS starts nothing without the attributes type, the attributes and an alert.
    public struct Start: Hashable, Sendable {
        /// The name of the app's Swift type. APNs does not check it; a phone silently drops a start with a wrong one.
        public var attributesType: String
        public var attributes: LiveActivityAttributes

        /// The channel that the activity subscribes to; nil for an activity with an update token of its own.
        public var channel: ChannelID? { attributes.channelId }

        package init(attributesType: String, attributes: LiveActivityAttributes) {
            self.attributesType = attributesType
            self.attributes = attributes
        }
    }

    public let event: LiveActivityEvent
    public let stamp: Stamp
    public let contentState: ContentState
    /// The time from which the activity shows that it is out of date, in seconds since 1970.
    public let staleAt: Int?
    /// The time when an ended activity leaves the Lock Screen, in seconds since 1970; a past time removes it at once.
    public let dismissAt: Int?
    /// The relevance among the phone's activities: the highest owns the Dynamic Island.
    public let relevance: Double?
    public let alert: PushAlert?
    public let start: Start?

    private init(
        event: LiveActivityEvent, stamp: Stamp, contentState: ContentState, staleAt: Int?, dismissAt: Int?,
        relevance: Double?,
        alert: PushAlert?, start: Start?
    ) {
        self.event = event
        self.stamp = stamp
        self.contentState = contentState
        self.staleAt = staleAt
        self.dismissAt = dismissAt
        self.relevance = relevance
        self.alert = alert
        self.start = start
    }

    /// Returns when a state is out of date, in seconds since 1970: ten minutes after its stamp; in a break ten minutes
    /// after the next keep-alive.
    /// - Parameter keepAlive: the longest time without a version in a break, in seconds.
    public static func staleAt(_ stamp: Stamp, isInBreak: Bool, keepAlive: Int) -> Int {
        stamp.rawValue + 600 + (isInBreak ? keepAlive : 0)
    }

    /// Starts an activity on a phone. iOS gives the app a token for its updates, or subscribes it to the channel that
    /// its attributes name. iOS requires the alert.
    public static func start(
        stamp: Stamp, contentState: ContentState, staleAt: Int?, relevance: Double?, alert: PushAlert,
        attributesType: String, attributes: LiveActivityAttributes
    ) -> Self {
        Self(
            event: .start, stamp: stamp, contentState: contentState, staleAt: staleAt, dismissAt: nil,
            relevance: relevance, alert: alert,
            start: Start(attributesType: attributesType, attributes: attributes))
    }

    /// Brings an activity to a state. The phone drops it unless `stamp` is later than that of the state it shows.
    public static func update(
        stamp: Stamp, contentState: ContentState, staleAt: Int?, relevance: Double?, alert: PushAlert? = nil
    ) -> Self {
        Self(
            event: .update, stamp: stamp, contentState: contentState, staleAt: staleAt, dismissAt: nil,
            relevance: relevance, alert: alert, start: nil)
    }

    /// Ends an activity with its final content. The phone ignores every later push to it.
    public static func end(stamp: Stamp, contentState: ContentState, dismissAt: Int) -> Self {
        Self(
            event: .end, stamp: stamp, contentState: contentState, staleAt: nil, dismissAt: dismissAt, relevance: nil,
            alert: nil, start: nil)
    }

    /// Whether the payload is an update without an alert, as nearly all are.
    public var isRoutine: Bool { event == .update && alert == nil }

    /// Encodes the payload. While it is longer than `PushPayload.bytesMax`, the cuts of `PayloadCut` are made in their
    /// order; a routine update is also cut while it is longer than `PushPayload.routineBytesAim`, but only by the cuts
    /// that serve the aim. A payload that is not too long is not cut.
    ///
    /// - Throws: `PayloadError.tooLarge` when the payload does not fit after all cuts, which only ids or an attributes
    ///   type of kilobytes can cause.
    public func encode() throws(PayloadError) -> PushPayload {
        var payload = self
        var cuts: [PayloadCut] = []
        var bytes = try PushPayload.json(LiveActivityBody(payload))
        for cut in PayloadCut.allCases
        where bytes.count > (isRoutine && cut.servesAim ? PushPayload.routineBytesAim : PushPayload.bytesMax) {
            let shorter = cut.applied(to: payload)
            guard shorter != payload else { continue }
            payload = shorter
            cuts.append(cut)
            bytes = try PushPayload.json(LiveActivityBody(payload))
        }
        guard bytes.count <= PushPayload.bytesMax else { throw .tooLarge(bytes: bytes.count) }
        return PushPayload(bytes: bytes, cuts: cuts)
    }

    /// Returns the same push with another state, alert and attributes, as a cut makes it.
    func with(contentState: ContentState, alert: PushAlert?, start: Start?) -> Self {
        Self(
            event: event, stamp: stamp, contentState: contentState, staleAt: staleAt, dismissAt: dismissAt,
            relevance: relevance, alert: alert, start: start)
    }
}
