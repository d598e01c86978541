import SightscreenModels

/// Text for one log line. Whatever it comes from, it cannot break the line.
enum LogText {
    /// Writes control characters as `\n`, `\r`, `\t` or `\u001b`.
    static func escapingControls(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) { escaped += escape(scalar) } else { escaped.unicodeScalars.append(scalar) }
        }
        return escaped
    }

    /// Writes a JSON string with its quotes. Control characters beyond those of JSON are escaped, too.
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

    /// Writes one plain word as it is, any other text as a JSON string.
    static func value(_ text: String) -> String {
        let isWord = !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && !isControl($0) }
        return isWord ? text : json(text)
    }

    /// Writes milliseconds since 1970 as `2026-11-21T09:46:04.123Z`.
    static func timestamp(milliseconds: Int64) -> String {
        // The seconds are rounded down, also before 1970.
        let fraction = (Int(milliseconds) % 1_000 + 1_000) % 1_000
        let seconds = (Int(milliseconds) - fraction) / 1_000
        return "\(UTCDay.time(at: seconds)).\(String(1_000 + fraction).dropFirst())Z"
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
