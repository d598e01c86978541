/// The parameters of one statement in text form, as C strings in one buffer: a set of hundreds of rows is a few parameters
/// of many kilobytes, written once.
struct ParameterText {
    private var bytes: [UInt8] = []
    /// Where each begins; nil for NULL.
    private var starts: [Int?] = []
    /// A value would be cut short where it holds a zero byte.
    private(set) var holdsZeroByte = false

    init(_ values: [PostgresValue]) {
        starts.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            append(value)
            if case .null = value {
                starts.append(nil)
                continue
            }
            starts.append(start)
            if bytes[start...].contains(0) { holdsZeroByte = true }
            bytes.append(0)
        }
    }

    /// - Parameter body: gets their number and an array of pointers, null for NULL and with a null behind the last; valid
    ///   during `body`.
    func withPointers<R>(_ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>) -> R) -> R {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            var pointers = starts.map { start in start.flatMap { offset in base.map { $0 + offset } } }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { array in
                // Never empty: the terminator is in it.
                body(Int32(starts.count), array.baseAddress.unsafelyUnwrapped)
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
        case .textArray(let values): append(values) { $0.quote($1) }
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

    private mutating func quote(_ element: String) {
        func isSpecial(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
        bytes.append(UInt8(ascii: "\""))
        if element.utf8.contains(where: isSpecial) {
            for byte in element.utf8 {
                if isSpecial(byte) { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
        } else {
            bytes.append(contentsOf: element.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
