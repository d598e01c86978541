/// Rates as the app shows them, worked out with whole numbers so that every machine writes the same digits.
enum Rates {
    /// Runs an over with two decimals: "6.96"; "0.00" before the first legal ball.
    static func perOver(_ runs: Int, balls: Int) -> String {
        decimal(runs * 6, over: balls, places: 2)
    }

    /// Runs per hundred balls with one decimal: "140.6"; "0.0" before the first ball.
    static func strike(_ runs: Int, balls: Int) -> String {
        decimal(runs * 100, over: balls, places: 1)
    }

    /// `numerator / denominator`, half rounded up. The result is zero when nothing can be divided, or when a number
    /// cannot come from cricket (negative, or a thousand million).
    static func decimal(_ numerator: Int, over denominator: Int, places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let divisible = denominator > 0 && numerator >= 0 && numerator < 1_000_000_000 && denominator < 1_000_000_000
        let scaled = divisible ? (numerator * scale * 2 + denominator) / (denominator * 2) : 0
        let fraction = String(scaled % scale)
        return "\(scaled / scale).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }
}
