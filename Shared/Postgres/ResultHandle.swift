import CPostgres

/// Owns a `PGresult`, frees it, and decodes it into plain values.
struct ResultHandle: ~Copyable {
    let raw: OpaquePointer

    deinit { PQclear(raw) }

    var status: ExecStatusType { PQresultStatus(raw) }

    var error: PostgresError {
        let state = text("C")
        let message = text("M") ?? "the connection failed"
        guard let state else { return PostgresError(.outcomeUnknown, message) }
        return PostgresError(sqlState: state, message: message, constraint: text("n"))
    }

    func decoded() -> PostgresResult {
        let width = Int(PQnfields(raw))
        let height = Int(PQntuples(raw))
        let tag = PQcmdStatus(raw).map { String(cString: $0) } ?? ""
        let affected = PQcmdTuples(raw).flatMap { Int(String(cString: $0)) } ?? 0
        guard height > 0 else { return PostgresResult(rows: [], commandTag: tag, affectedRows: affected) }
        var columns: [String: Int] = [:]
        for column in 0..<width {
            guard let name = PQfname(raw, Int32(column)) else { continue }
            columns[String(cString: name)] = column
        }
        var bytes: [UInt8] = []
        var ends: [Int] = []
        var nulls: [Bool] = []
        ends.reserveCapacity(width * height)
        nulls.reserveCapacity(width * height)
        for row in 0..<Int32(height) {
            for column in 0..<Int32(width) {
                nulls.append(PQgetisnull(raw, row, column) != 0)
                if let value = PQgetvalue(raw, row, column) {
                    let length = Int(PQgetlength(raw, row, column))
                    bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: length))
                }
                ends.append(bytes.count)
            }
        }
        let table = ResultTable(
            columns: columns, width: width, height: height, bytes: bytes, ends: ends, nulls: nulls)
        return PostgresResult(
            rows: (0..<height).map { PostgresRow(table: table, index: $0) }, commandTag: tag, affectedRows: affected)
    }

    /// Returns a field of the server's error.
    /// - Parameter field: the letter of a `PG_DIAG_…` macro: C state, M message, n constraint. (Macros with character
    ///   literals are not imported into Swift.)
    private func text(_ field: Unicode.Scalar) -> String? {
        PQresultErrorField(raw, Int32(field.value)).map { String(cString: $0) }
    }
}
