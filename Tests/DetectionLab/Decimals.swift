/// Numbers for a line of JSON.
enum Decimals {
    /// With three digits after the point.
    static func text(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "0" }
        let thousandths = Int((number * 1_000).rounded())
        let digits = String(abs(thousandths) % 1_000)
        let padding = String(repeating: "0", count: 3 - digits.count)
        return "\(thousandths < 0 ? "-" : "")\(abs(thousandths) / 1_000).\(padding)\(digits)"
    }
}
