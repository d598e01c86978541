/// One row of an answer. Reading a column that is missing, NULL or of another type throws `.decoding`.
public struct PostgresRow: Sendable {
    let table: ResultTable
    let index: Int

    public func string(_ column: String) throws -> String { try required(column, optionalString) }
    public func int(_ column: String) throws -> Int { try required(column, optionalInt) }
    public func int64(_ column: String) throws -> Int64 { try required(column, optionalInt64) }
    public func double(_ column: String) throws -> Double { try required(column, optionalDouble) }
    public func bool(_ column: String) throws -> Bool { try required(column, optionalBool) }

    public func isNull(_ column: String) throws -> Bool { try field(column) == nil }

    /// Returns nil for NULL, like the other `optional…` readers.
    public func optionalString(_ column: String) throws -> String? {
        try field(column).map { String(decoding: $0, as: UTF8.self) }
    }

    public func optionalInt(_ column: String) throws -> Int? { try optionalInt64(column).map { Int($0) } }

    public func optionalInt64(_ column: String) throws -> Int64? {
        guard let field = try field(column) else { return nil }
        guard let value = Int64(String(decoding: field, as: UTF8.self)) else { throw mismatch(column, "an integer") }
        return value
    }

    public func optionalDouble(_ column: String) throws -> Double? {
        guard let field = try field(column) else { return nil }
        guard let value = Double(String(decoding: field, as: UTF8.self)) else { throw mismatch(column, "a number") }
        return value
    }

    public func optionalBool(_ column: String) throws -> Bool? {
        guard let field = try field(column) else { return nil }
        if field.elementsEqual([UInt8(ascii: "t")]) { return true }
        if field.elementsEqual([UInt8(ascii: "f")]) { return false }
        throw mismatch(column, "a boolean")
    }

    private func field(_ column: String) throws -> ArraySlice<UInt8>? {
        guard let position = table.columns[column] else {
            throw PostgresError(.decoding, "the answer has no column \(column)")
        }
        return table.field(index, position)
    }

    private func required<T>(_ column: String, _ read: (String) throws -> T?) throws -> T {
        guard let value = try read(column) else { throw PostgresError(.decoding, "column \(column) is null") }
        return value
    }

    private func mismatch(_ column: String, _ wanted: String) -> PostgresError {
        PostgresError(.decoding, "column \(column) is not \(wanted)")
    }
}
