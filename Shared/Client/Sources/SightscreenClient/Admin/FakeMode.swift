/// Where the app's calls go, in a debug build.
public enum FakeMode: Hashable, Sendable {
    /// To the gateway.
    case off
    /// To the fake API, a gateway with a stand-in provider.
    case fakeAPI
    /// Nowhere: this phone answers itself.
    case canned(CannedScenario)
}

extension FakeMode {
    /// Who answers, as what is kept of the answers is named; nil for the gateway, whose data is the app's own.
    var backend: String? {
        switch self {
        case .off: nil
        case .fakeAPI: "fake-api"
        case .canned: "canned"
        }
    }

    /// Between the two the app needs not be made anew: nothing that it knows comes from somebody else.
    public func sharesData(with other: FakeMode) -> Bool { backend == other.backend }
}

extension FakeMode: RawRepresentable, CaseIterable {
    public static let allCases: [FakeMode] = [.off, .fakeAPI] + CannedScenario.allCases.map { .canned($0) }

    /// As it is kept in UserDefaults: "canned.liveMatch".
    public var rawValue: String {
        switch self {
        case .off: "off"
        case .fakeAPI: "fakeAPI"
        case .canned(let scenario): "canned.\(scenario.rawValue)"
        }
    }

    public init?(rawValue: String) {
        guard let mode = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = mode
    }
}

/// A set of canned answers that belong together.
public enum CannedScenario: String, Hashable, Sendable, CaseIterable {
    /// One match in play, one to come, one over.
    case liveMatch
    /// A chase in its last over: the gateway wants to be asked every 2 s.
    case closeFinish
    /// A day without matches.
    case nothingOn
    /// The gateway is away on purpose.
    case maintenance
    /// This version of the app is too old.
    case updateRequired
    /// Every call fails with 503.
    case outage
    /// There is no network.
    case offline
}
