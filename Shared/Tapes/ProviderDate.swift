/// The provider's form of a moment: `2026-10-09T14:46:52.000000Z`.
public enum ProviderDate {
    /// - Parameter seconds: since 1970.
    public static func text(_ seconds: Int) -> String {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let (year, month, day) = civil(days)
        let rest = seconds - days * 86_400
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(rest / 3_600, 2)):\(pad(rest / 60 % 60, 2))"
            + ":\(pad(rest % 60, 2)).000000Z"
    }

    /// Reads `2026-10-09` and `2026-10-09T14:46:52`, with or without fraction and Z: seconds since 1970.
    public static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: "T", maxSplits: 1)
        let date = (parts.first ?? "").split(separator: "-").map { Int($0) }
        guard date.count == 3, let year = date[0], let month = date[1], let day = date[2], (1...12).contains(month),
            (1...31).contains(day), (1_900...9_999).contains(year)
        else { return nil }
        let midnight = days(year, month, day) * 86_400
        guard parts.count == 2 else { return midnight }
        let time = parts[1].prefix { $0 != "Z" && $0 != "." }.split(separator: ":").map { Int($0) }
        guard time.count >= 2, time.count <= 3, let hour = time[0], let minute = time[1] else { return nil }
        let second = time.count == 3 ? time[2] : 0
        guard let second, (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
            return nil
        }
        return midnight + hour * 3_600 + minute * 60 + second
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(width - text.count, 0)) + text
    }

    // Proleptic Gregorian calendar; years that begin in March make leap days fall at their ends.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
