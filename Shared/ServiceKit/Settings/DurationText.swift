/// Durations as settings write them: `5s`, `2.5s`, `250ms`, `7h45m`, `0s`.
public enum DurationText {
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
        ("ms", 1_000_000),
    ]

    /// Reads a duration.
    /// - Returns: nil unless the text is numbers with units from large to small, without signs and spaces.
    public static func parse(_ text: String) -> Duration? {
        var rest = Substring(text)
        var total: Int64 = 0
        var unitsLeft = units[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let whole = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(whole.count)
            var fraction: Substring = ""
            if rest.first == "." {
                fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard !fraction.isEmpty, fraction.count <= 9 else { return nil }
                rest = rest.dropFirst(1 + fraction.count)
            }
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(name.count)
            guard let count = Int64(whole), let place = unitsLeft.firstIndex(where: { $0.name == name }) else {
                return nil
            }
            let unit = units[place].nanoseconds
            unitsLeft = units[(place + 1)...]
            guard let part = nanoseconds(count, fraction, unit) else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow else { return nil }
            total = sum
        }
        return .nanoseconds(total)
    }

    /// Writes the form that a person would, and `parse` reads back, down to a millisecond: `48h`, `365d`, `2.5s`, `250ms`.
    public static func format(_ duration: Duration) -> String {
        var milliseconds = duration.milliseconds
        guard milliseconds > 0 else { return "0s" }
        let day = Int64(86_400_000)
        if milliseconds > 2 * day, milliseconds % day == 0 { return "\(milliseconds / day)d" }
        var text = ""
        for (name, size) in [("h", Int64(3_600_000)), ("m", 60_000)] where milliseconds >= size {
            text += "\(milliseconds / size)\(name)"
            milliseconds %= size
        }
        if milliseconds >= 1000 {
            let fraction = String(1000 + milliseconds % 1000).dropFirst().reversed().drop { $0 == "0" }.reversed()
            text += "\(milliseconds / 1000)\(fraction.isEmpty ? "" : ".")\(String(fraction))s"
        } else if milliseconds > 0 {
            text += "\(milliseconds)ms"
        }
        return text
    }

    private static func nanoseconds(_ count: Int64, _ fraction: Substring, _ unit: Int64) -> Int64? {
        let (whole, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        guard !fraction.isEmpty else { return whole }
        guard let digits = Double("0.\(fraction)") else { return nil }
        let (sum, tooLarge) = whole.addingReportingOverflow(Int64((digits * Double(unit)).rounded()))
        return tooLarge ? nil : sum
    }
}
