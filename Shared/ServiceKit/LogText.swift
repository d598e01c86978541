import SightscreenModels

/// Text that cannot break out of its line: whatever comes from outside, a log line stays one line.
enum LogText {
    /// Control characters become `\n`, `\r`, `\t` or `\u001b`.
    static func escapingControls(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) { escaped += escape(scalar) } else { escaped.unicodeScalars.append(scalar) }
        }
        return escaped
    }

    /// A JSON string with its quotes. Other control characters than JSON's own are escaped too.
    static func json(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where isControl(scalar): quoted += escape(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// As it is when it is one plain word, else like a JSON string.
    static func value(_ text: String) -> String {
        let isWord = !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && !isControl($0) }
        return isWord ? text : json(text)
    }

    /// Whole milliseconds since 1970 as `2026-11-21T09:46:04.123Z`.
    static func timestamp(milliseconds: Int64) -> String {
        let day = UTCDay(at: Int(milliseconds.dividedFloor(by: 1_000)))
        let rest = Int(milliseconds) - day.startsAt * 1_000
        let time = "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1000 % 60, 2))"
        return "\(day)T\(time).\(padded(rest % 1000, 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
                + String(scalar.value, radix: 16)
        }
    }
}

extension FixedWidthInteger where Self: SignedInteger {
    /// Rounds down, also below zero.
    fileprivate func dividedFloor(by divisor: Self) -> Self {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
