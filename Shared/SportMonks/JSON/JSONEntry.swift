/// One value or key of a JSON text: where it stands, and where the next one is.
struct JSONEntry {
    enum Kind: UInt8 {
        case null, yes, no, number, string, array, object
    }

    /// The first byte; of a string the one behind its quote.
    var start: UInt32
    /// Behind the last byte; of a string its closing quote.
    var end: UInt32
    /// The place of the entry behind this one and all that is in it.
    var next: UInt32
    var kind: Kind
    /// A string without escapes and control characters, whose bytes are its text as they stand.
    var isPlain: Bool
}
