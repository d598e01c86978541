import Glibc

/// The parameters of one statement in one buffer: a set of hundreds of rows is a few parameters of many kilobytes,
/// written once. They are C strings in text form, except arrays of texts, which are in binary form: in text form the
/// server searches them for quotes character by character, which for a batch of tokens costs it as much as finding the
/// rows.
struct ParameterText {
    private static let textOID: Int32 = 25

    private var bytes: [UInt8] = []
    /// The start of each parameter; nil for NULL.
    private var starts: [Int?] = []
    /// The lengths of parameters in binary form; the server ignores the others.
    private var lengths: [Int32] = []
    /// The format of each parameter: 0 is text, 1 is binary.
    private var formats: [Int32] = []
    /// Whether a value holds a zero byte, at which the server would cut it short.
    private(set) var holdsZeroByte = false

    init(_ values: [PostgresValue]) {
        starts.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            if case .null = value { starts.append(nil) } else { starts.append(start) }
            if case .textArray(let texts) = value {
                append(texts)
                lengths.append(Int32(bytes.count - start))
                formats.append(1)
            } else {
                append(value)
                holdsZeroByte = holdsZeroByte || bytes[start...].holdZero
                bytes.append(0)
                lengths.append(0)
                formats.append(0)
            }
        }
    }

    /// - Parameter body: gets the number of parameters, and their pointers, lengths and formats as libpq expects them.
    ///   A pointer is null for NULL, and a null follows the last; all are valid during `body`.
    func withPointers<R>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> R
    ) -> R {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            var pointers = starts.map { start in start.flatMap { offset in base.map { $0 + offset } } }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { array in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        // The array is never empty, because it holds the terminator.
                        body(
                            Int32(starts.count), array.baseAddress.unsafelyUnwrapped, lengths.baseAddress,
                            formats.baseAddress)
                    }
                }
            }
        }
    }

    private mutating func append(_ value: PostgresValue) {
        switch value {
        case .null: break
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .int(let value): append(value)
        case .double(let value): append(value)
        case .bool(let value): append(value)
        case .textArray(let values): append(values)
        case .intArray(let values): append(values) { $0.append($1) }
        case .doubleArray(let values): append(values) { $0.append($1) }
        case .boolArray(let values): append(values) { $0.append($1) }
        }
    }

    private mutating func append<T>(_ elements: [T?], _ write: (inout ParameterText, T) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let element { write(&self, element) } else { bytes.append(contentsOf: "NULL".utf8) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func append(_ value: Int64) { bytes.append(contentsOf: String(value).utf8) }

    private mutating func append(_ value: Bool) { bytes.append(UInt8(ascii: value ? "t" : "f")) }

    private mutating func append(_ value: Double) {
        if value.isNaN {
            bytes.append(contentsOf: "NaN".utf8)
        } else if value.isInfinite {
            bytes.append(contentsOf: (value < 0 ? "-Infinity" : "Infinity").utf8)
        } else {
            bytes.append(contentsOf: "\(value)".utf8)
        }
    }

    /// Appends the dimensions and the lower bound, then each element after its length (`array_recv`).
    private mutating func append(_ texts: [String?]) {
        func number(_ value: Int32) { withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) } }
        number(texts.isEmpty ? 0 : 1)
        number(texts.contains(nil) ? 1 : 0)
        number(Self.textOID)
        guard !texts.isEmpty else { return }
        number(Int32(texts.count))
        number(1)
        for text in texts {
            guard let text else {
                number(-1)
                continue
            }
            number(Int32(text.utf8.count))
            let start = bytes.count
            bytes.append(contentsOf: text.utf8)
            holdsZeroByte = holdsZeroByte || bytes[start...].holdZero
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var holdZero: Bool {
        withUnsafeBytes { bytes in bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
    }
}
