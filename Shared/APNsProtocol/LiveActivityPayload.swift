public import SightscreenModels

/// What a push of type `liveactivity` says. `encode()` is called once per version and variant; the bytes are shared by
/// all devices that get them.
public struct LiveActivityPayload: Hashable, Sendable {
    /// What only a start carries. iOS starts nothing without all three.
    public struct Start: Hashable, Sendable {
        /// The name of the app's Swift type. APNs does not check it; a phone drops a start with a wrong one in silence.
        public var attributesType: String
        public var attributes: LiveActivityAttributes

        public init(attributesType: String, attributes: LiveActivityAttributes) {
            self.attributesType = attributesType
            self.attributes = attributes
        }
    }

    public let event: LiveActivityEvent
    public let stamp: Stamp
    public let contentState: ContentState
    /// Seconds since 1970: from then on the activity says that it is out of date.
    public let staleAt: Int?
    /// Seconds since 1970: when an ended activity leaves the Lock Screen; a past time removes it at once.
    public let dismissAt: Int?
    /// Relative to other activities: the highest owns the Dynamic Island.
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

    /// When a state is out of date: ten minutes after its stamp; in a break ten minutes after the next keep-alive.
    /// - Parameter keepAlive: the longest time without a version in a break, in seconds.
    public static func staleAt(_ stamp: Stamp, isInBreak: Bool, keepAlive: Int) -> Int {
        stamp.rawValue + 600 + (isInBreak ? keepAlive : 0)
    }

    /// Starts an activity on a phone, and has iOS hand the app a token for its updates. The alert is required by iOS.
    public static func start(
        stamp: Stamp, contentState: ContentState, staleAt: Int?, relevance: Double?, alert: PushAlert,
        attributesType: String, attributes: LiveActivityAttributes
    ) -> Self {
        Self(
            event: .start, stamp: stamp, contentState: contentState, staleAt: staleAt, dismissAt: nil,
            relevance: relevance, alert: alert,
            start: Start(attributesType: attributesType, attributes: attributes))
    }

    /// Brings an activity to a state. Dropped by the phone unless `stamp` is later than what it shows.
    public static func update(
        stamp: Stamp, contentState: ContentState, staleAt: Int?, relevance: Double?, alert: PushAlert? = nil
    ) -> Self {
        Self(
            event: .update, stamp: stamp, contentState: contentState, staleAt: staleAt, dismissAt: nil,
            relevance: relevance, alert: alert, start: nil)
    }

    /// Ends an activity with its final content. The phone ignores whatever comes after it.
    public static func end(stamp: Stamp, contentState: ContentState, dismissAt: Int) -> Self {
        Self(
            event: .end, stamp: stamp, contentState: contentState, staleAt: nil, dismissAt: dismissAt, relevance: nil,
            alert: nil, start: nil)
    }

    /// An update that buzzes nobody: nearly all there is.
    public var isRoutine: Bool { event == .update && alert == nil }

    /// The payload as it is sent: cut by `PayloadCut`, in its order, while it is longer than `PushPayload.bytesMax`; a
    /// routine update also while it is longer than `PushPayload.routineBytesAim`, but only by the cuts that serve the
    /// aim. What is not too long is not cut.
    ///
    /// - Throws: `PayloadError.tooLarge` when it does not fit even then, which only ids or an attributes type of
    ///   kilobytes can cause.
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

    /// The same push with another state, alert and attributes: what a cut makes.
    func with(contentState: ContentState, alert: PushAlert?, start: Start?) -> Self {
        Self(
            event: event, stamp: stamp, contentState: contentState, staleAt: staleAt, dismissAt: dismissAt,
            relevance: relevance, alert: alert, start: start)
    }
}
