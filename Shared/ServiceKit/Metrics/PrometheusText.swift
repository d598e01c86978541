/// Writes the Prometheus text format, version 0.0.4.
enum PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the label with every character except letters, digits and `_` replaced by `_`.
    static func name(_ label: String) -> String {
        // Every count that is reported passes here, so a name that is valid already is returned without a copy.
        if let first = label.utf8.first, !isDigit(first), label.utf8.allSatisfy(fits) { return label }
        var name = ""
        for scalar in label.unicodeScalars {
            name.unicodeScalars.append(scalar.isASCII && fits(UInt8(ascii: scalar)) ? scalar : "_")
        }
        if let first = name.unicodeScalars.first, ("0"..."9").contains(first) { name = "_" + name }
        return name
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func fits(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func append(_ name: String, _ family: PrometheusRegistry.Family, help: String?, to text: inout String) {
        if let help { text += "# HELP \(name) \(escape(help, quotes: false))\n" }
        text += "# TYPE \(name) \(family.kind.rawValue)\n"
        for (labels, series) in family.series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let numbers = series.current
            guard family.kind == .histogram else {
                text += "\(name)\(braces(labels)) \(number(numbers.value))\n"
                continue
            }
            var total: UInt64 = 0
            for (bound, count) in zip(series.bounds + [.infinity], numbers.buckets) {
                total += count
                let bucket = labels + [PrometheusLabel(name: "le", value: number(bound))]
                text += "\(name)_bucket\(braces(bucket)) \(total)\n"
            }
            text += "\(name)_sum\(braces(labels)) \(number(numbers.value))\n"
            text += "\(name)_count\(braces(labels)) \(numbers.count)\n"
        }
    }

    private static func braces(_ labels: [PrometheusLabel]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escape($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == -.infinity { return "-Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return "\(value)"
    }
}
