package import SightscreenModels

/// The followers of a match who can share a broadcast channel within an APNs environment, because they are to be told
/// the same: those with one alert level. It is stored as a small number.
package struct AudienceClass: RawRepresentable, Hashable, Sendable {
    /// The number of classes that there is room for, in numbers that must not change.
    static let countMax = 32

    package let rawValue: Int

    /// - Returns: nil for a number that is no class.
    package init?(rawValue: Int) {
        guard AlertLevel.allCases.indices.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    package init(_ level: AlertLevel) { rawValue = AlertLevel.allCases.firstIndex(of: level) ?? 0 }

    package var alertLevel: AlertLevel { AlertLevel.allCases[rawValue] }
}

/// Names a broadcast channel among all that a match has had. A channel is never used again after its end: the next one
/// has another generation.
package struct ChannelKey: Hashable, Sendable {
    package var match: MatchID
    package var environment: APNsEnvironment
    package var audience: AudienceClass
    package var generation: Int

    package init(match: MatchID, environment: APNsEnvironment, audience: AudienceClass, generation: Int) {
        self.match = match
        self.environment = environment
        self.audience = audience
        self.generation = generation
    }
}
