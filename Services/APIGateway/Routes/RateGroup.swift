/// The calls that share a rate limit.
enum RateGroup: Sendable, CaseIterable { case reads, follows, registrations, privacy, admin, open }
