extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// Decodes one of the known names.
    ///
    /// - Throws: `DecodingError`, which lists them.
    public init(oneOf decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let value = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(name.prefix(40))\" is none of \(names)")
        }
        self = value
    }
}
