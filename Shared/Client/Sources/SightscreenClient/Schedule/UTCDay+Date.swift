#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import SightscreenModels

extension UTCDay {
    /// Creates the UTC day that contains a moment.
    public init(_ date: Date) { self.init(at: Int(date.timeIntervalSince1970.rounded(.down))) }

    /// The day's first moment.
    public var date: Date { Date(timeIntervalSince1970: Double(startsAt)) }
}
