/// A day of the Gregorian calendar in UTC. The schedule has these days, in whatever time zone the phone is.
public struct UTCDay: Hashable, Comparable, Sendable {
    /// The number of days since 1970-01-01.
    public let number: Int

    public init(number: Int) { self.number = number }

    /// - Parameter seconds: a moment, in seconds since 1970.
    public init(at seconds: Int) {
        number = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    }

    public init?(year: Int, month: Int, day: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // A year that begins in March has its leap day at the end.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        // A day that does not exist comes out as a day of the next month.
        guard Self.civil(number).day == day else { return nil }
        self.number = number
    }

    /// The first second of the day, in seconds since 1970.
    public var startsAt: Int { number * 86_400 }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    public static func + (day: Self, days: Int) -> Self { Self(number: day.number + days) }
    public static func - (day: Self, days: Int) -> Self { Self(number: day.number - days) }

    /// Returns a moment, given in seconds since 1970, as "2026-11-22T14:30:05", without a time zone.
    public static func time(at seconds: Int) -> String {
        let day = Self(at: seconds)
        let rest = seconds - day.startsAt
        return "\(day)T\(padded(rest / 3_600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
    }

    /// Returns the number of days between two days.
    public func distance(to other: Self) -> Int { abs(number - other.number) }

    private static func civil(_ number: Int) -> (year: Int, month: Int, day: Int) {
        // Days count from 0000-03-01, in cycles of 400 years.
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}

extension UTCDay: LosslessStringConvertible {
    /// The day as "2026-11-22".
    public var description: String {
        let date = Self.civil(number)
        return "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))"
    }

    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        let isWritten = parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isWritten, parts.map(\.utf8.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension UTCDay: Codable {
    public nonisolated init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a day")
        }
        self = day
    }

    public nonisolated func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
