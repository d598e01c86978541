public import SightscreenClientTesting
public import SightscreenModels

/// The end of a push: one token's phone, as far as ActivityKit's rules are known. Small, for there are very many.
public struct DeviceModel: Sendable, Hashable {
    /// Updates dated further ahead than this are dropped.
    public static let aheadSecondsMax = 8 * 3_600

    public let kind: PushTokenKind
    /// The stamp that an update must exceed.
    public private(set) var shown: Stamp?
    public private(set) var hasEnded = false
    private let takesFrequentPushes: Bool
    private var budget = DeviceBudget()

    /// - Parameters:
    ///   - shown: the stamp of the start or of the phone's own state, when it is known.
    ///   - takesFrequentPushes: the user's switch, which decides on the budget.
    public init(kind: PushTokenKind, shown: Stamp? = nil, takesFrequentPushes: Bool = true) {
        self.kind = kind
        self.shown = shown
        self.takesFrequentPushes = takesFrequentPushes
    }

    /// Takes in a push that APNs answered with 200.
    ///
    /// - Parameters:
    ///   - expiration: `apns-expiration`; 0 and nil never expire here.
    ///   - now: the phone's clock, seconds since 1970.
    public mutating func receive(
        _ push: DevicePush, priority: APNsPriority = .immediate, expiration: Int?, attributesType: String,
        budgets: DeviceBudgets = .none, now: Int
    ) -> DeviceVerdict {
        if let expiration, expiration > 0, expiration < now { return .expired }
        guard kind != .device else { return .handled }
        guard let head = push.head else { return .notDecodable }
        guard (head.event == .start) == (kind == .start) else { return .wrongEventForToken }
        if hasEnded { return .alreadyEnded }
        guard push.hasState else { return .notDecodable }
        if head.timestamp > now + Self.aheadSecondsMax, head.event != .end { return .droppedFarTimestamp }
        switch head.event {
        case .start:
            if let starts = budgets.starts, !budget.take(of: starts, now: now) { return .startBudgetExceeded }
            return verdictOnStart(push, attributesType: attributesType)
        case .update:
            let perHour = takesFrequentPushes ? budgets.immediate : budgets.immediateInfrequent
            // Counted when it comes, whether it is news or not.
            if priority == .immediate, let perHour, !budget.take(of: perHour, now: now) {
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

    private func verdictOnStart(_ push: DevicePush, attributesType: String) -> DeviceVerdict {
        if push.alert == nil { return .missingAlert }
        guard push.attributesType == attributesType else { return .wrongAttributesType }
        return push.hasAttributes ? .handled : .attributesNotDecodable
    }
}
