/// One value or key of a JSON text: its place, and the place of the next one.
struct JSONEntry {
    enum Kind: UInt8 {
        case null, yes, no, number, string, array, object
    }

    /// The offset of the first byte; for a string of the byte after its quote.
    var start: UInt32
    /// The offset after the last byte; for a string of its closing quote.
    var end: UInt32
    /// The index of the entry after this one and everything in it.
    var next: UInt32
    var kind: Kind
    /// Whether a string has no escapes and control characters, so that its bytes are its text.
    var isPlain: Bool
}
