/// Ids for frames that are not answered; they only have to differ.
enum FrameIDs {
    static func next() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
