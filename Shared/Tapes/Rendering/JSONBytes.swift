/// Writes JSON text straight into bytes. A tape's answers run to megabytes, most of them copied from parts that are
/// written once; a general encoder would spend a second of CPU on each.
public struct JSONBytes: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() {}

    /// - Parameter capacity: the approximate number of bytes; growing a megabyte by doubling is costly.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    public mutating func object(_ body: (inout JSONBytes) -> Void) { nest(0x7b, 0x7d, body) }
    public mutating func array(_ body: (inout JSONBytes) -> Void) { nest(0x5b, 0x5d, body) }

    public mutating func key(_ name: String) {
        value { $0.quote(name) }
        bytes.append(0x3a)
        needsComma = false
    }

    public mutating func value(_ text: String) { value { $0.quote(text) } }
    public mutating func value(_ number: Int64) { value { $0.bytes.append(contentsOf: String(number).utf8) } }
    public mutating func value(_ flag: Bool) { raw(flag ? "true" : "false") }
    public mutating func null() { raw("null") }
    /// Writes JSON text as it is.
    public mutating func raw(_ json: String) { value { $0.bytes.append(contentsOf: json.utf8) } }
    public mutating func raw(_ json: [UInt8]) { value { $0.bytes.append(contentsOf: json) } }

    /// Writes elements of an array as they are, with commas between them; a leading comma is left out where it does not
    /// belong.
    public mutating func elements(_ json: ArraySlice<UInt8>) {
        let rows = json.first == 0x2c ? json.dropFirst() : json
        if !rows.isEmpty { value { $0.bytes.append(contentsOf: rows) } }
    }

    public mutating func field(_ name: String, _ text: String?) {
        key(name)
        if let text { value(text) } else { null() }
    }
    public mutating func field(_ name: String, _ number: Int64?) {
        key(name)
        if let number { value(number) } else { null() }
    }
    public mutating func field(_ name: String, _ number: Int) {
        key(name)
        value(Int64(number))
    }
    public mutating func field(_ name: String, _ flag: Bool) {
        key(name)
        value(flag)
    }
    public mutating func field(_ name: String, raw json: String) {
        key(name)
        raw(json)
    }
    public mutating func field(_ name: String, raw json: [UInt8]?) {
        key(name)
        if let json { raw(json) } else { null() }
    }

    private mutating func value(_ write: (inout JSONBytes) -> Void) {
        if needsComma { bytes.append(0x2c) }
        write(&self)
        needsComma = true
    }

    private mutating func nest(_ open: UInt8, _ close: UInt8, _ body: (inout JSONBytes) -> Void) {
        if needsComma { bytes.append(0x2c) }
        bytes.append(open)
        needsComma = false
        body(&self)
        bytes.append(close)
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5c:
                bytes.append(0x5c)
                bytes.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: [0x5c, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }
}
