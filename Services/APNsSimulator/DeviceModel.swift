public import SightscreenClientTesting
public import SightscreenModels

/// The receiving end of a push: the phone of one token, as far as ActivityKit's rules are known. It is small, because
/// there are very many.
public struct DeviceModel: Sendable, Hashable {
    /// The limit, in seconds, by which an update's stamp may be ahead of the phone's clock; later ones are dropped.
    public static let aheadSecondsMax = 8 * 3_600

    public let kind: PushTokenKind
    /// The stamp that an update must exceed.
    public private(set) var shown: Stamp?
    public private(set) var hasEnded = false
    private let takesFrequentPushes: Bool
    private var budget = DeviceBudget()

    /// - Parameters:
    ///   - shown: the stamp of the start or of the phone's own state, when it is known.
    ///   - takesFrequentPushes: the user's switch for frequent pushes, which decides on the budget.
    package init(kind: PushTokenKind, shown: Stamp? = nil, takesFrequentPushes: Bool = true) {
        self.kind = kind
        self.shown = shown
        self.takesFrequentPushes = takesFrequentPushes
    }

    /// Receives a push that APNs answered with 200.
    ///
    /// - Parameters:
    ///   - expiration: `apns-expiration`; neither 0 nor nil expires here.
    ///   - startProblem: the reason why an otherwise good start begins no activity.
    ///   - now: the phone's clock, in seconds since 1970.
    public mutating func receive(
        _ push: DevicePush, priority: Int = 10, expiration: Int?, attributesType: String,
        startProblem: DeviceOutcome? = nil, budgets: DeviceBudgets = .none, now: Int
    ) -> DeviceOutcome {
        if let expiration, expiration > 0, expiration < now { return .expired }
        guard kind != .device else { return .handled }
        guard let head = push.head else { return .notDecodable }
        guard (head.event == .start) == (kind == .start) else { return .wrongEventForToken }
        if hasEnded { return .alreadyEnded }
        guard push.hasState else { return .notDecodable }
        if head.timestamp > now + Self.aheadSecondsMax, head.event != .end { return .droppedFarTimestamp }
        switch head.event {
        case .start:
            if let starts = budgets.starts, !budget.takeStart(of: starts, now: now) { return .startBudgetExceeded }
            return outcomeOfStart(push, attributesType: attributesType) ?? startProblem ?? .handled
        case .update:
            let perHour = takesFrequentPushes ? budgets.immediate : budgets.immediateInfrequent
            // The push counts against the budget when it arrives, even if it changes nothing.
            if priority == PushCheck.immediate, let perHour, !budget.take(of: perHour, now: now) {
                return .updateBudgetExceeded
            }
            if let shown, head.timestamp <= shown.rawValue { return .droppedOldTimestamp }
            shown = Stamp(head.timestamp)
            return .handled
        case .end:
            hasEnded = true
            return .handled
        }
    }

    /// Returns why a start's content begins no activity; nil when it does.
    private func outcomeOfStart(_ push: DevicePush, attributesType: String) -> DeviceOutcome? {
        if push.alert == nil { return .missingAlert }
        guard push.attributesType == attributesType else { return .wrongAttributesType }
        return push.hasAttributes ? nil : .attributesNotDecodable
    }
}
