#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import SightscreenModels

extension UTCDay {
    /// The day of UTC in which a moment lies.
    public init(_ date: Date) { self.init(at: Int(date.timeIntervalSince1970.rounded(.down))) }

    /// Its first moment.
    public var date: Date { Date(timeIntervalSince1970: Double(startsAt)) }
}
