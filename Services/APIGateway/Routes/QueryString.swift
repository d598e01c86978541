/// Reads the part of an address after its question mark, strictly, and checks it by the call's parameters.
enum QueryString {
    /// - Throws: `Problem` for a parameter that the call does not know or that is given twice, and for a value that
    ///   does not have the parameter's form.
    static func read(_ query: String?, _ parameters: [Operation.Parameter]) throws -> [String: String] {
        guard let query, !query.isEmpty else { return [:] }
        var values: [String: String] = [:]
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(sides[0]), let value = sides.count > 1 ? decode(sides[1]) : "" else {
                throw Problem(.invalidRequest, "the query is not percent-encoded UTF-8")
            }
            guard let parameter = parameters.first(where: { $0.name == name }) else {
                throw Problem(
                    .invalidRequest, "a parameter of the query is not known",
                    field: Identifier.isValid(name) ? name : nil)
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Problem.field(name, "is given twice")
            }
            guard accepts(value, parameter.schema) else {
                throw Problem.field(name, "must be \(parameter.schema.wanted)")
            }
        }
        return values
    }

    private static func accepts(_ value: String, _ schema: Schema) -> Bool {
        switch schema {
        case .text(let form): form.accepts(value)
        case .choice(let names, _): names.contains(value)
        case .flag: value == "true" || value == "false"
        case .integer(let range):
            value.utf8.count <= 10 && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && Int(value).map(range.contains) ?? false
        case .list(let element, let max):
            value.split(separator: ",", omittingEmptySubsequences: false).count <= max ?? .max
                && value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
                    accepts(String($0), element)
                }
        default: false
        }
    }

    /// Decodes percent escapes; nil for an incomplete escape, or if the result is not UTF-8. A plus sign stays a plus
    /// sign.
    static func decode(_ text: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
