/// Ids for notices, which nobody answers: they only have to differ.
enum FrameIDs {
    static func next() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
