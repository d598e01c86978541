/// One answer of the server in plain memory: the text of every field is in one buffer, so a result of many rows does
/// not cost an allocation for each field.
final class ResultTable: Sendable {
    let columns: [String: Int]
    let width: Int
    let height: Int
    private let bytes: [UInt8]
    /// The end of each field: field i is `bytes[ends[i - 1] ..< ends[i]]`.
    private let ends: [Int]
    private let nulls: [Bool]

    init(columns: [String: Int], width: Int, height: Int, bytes: [UInt8], ends: [Int], nulls: [Bool]) {
        self.columns = columns
        self.width = width
        self.height = height
        self.bytes = bytes
        self.ends = ends
        self.nulls = nulls
    }

    /// Returns the field's text; nil for NULL.
    func field(_ row: Int, _ column: Int) -> ArraySlice<UInt8>? {
        let index = row * width + column
        if nulls[index] { return nil }
        return bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }
}
