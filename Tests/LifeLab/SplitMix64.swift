/// The same numbers for the same seed.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }
    /// True so many times in a thousand.
    mutating func perMille(_ rate: Int) -> Bool { rate > 0 && below(1_000) < rate }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
