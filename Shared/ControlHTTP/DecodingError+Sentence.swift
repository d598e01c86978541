extension DecodingError {
    /// The error in words of JSON, for the caller who sent the body.
    var sentence: String {
        switch self {
        case .keyNotFound(let key, let context): return "\(Self.place(context)) lacks \(key.stringValue)"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            return "\(Self.place(context)) is not \(Self.name(of: type))"
        case .dataCorrupted(let context):
            if context.codingPath.isEmpty { return "the body is not JSON" }
            let words = context.debugDescription
            // The standard library and the decoder name types here that the caller does not know.
            if words.hasPrefix("Cannot initialize") { return "\(Self.place(context)) has a value that is not known" }
            if words.hasPrefix("Parsed JSON number") || words.contains("does not fit") {
                return "\(Self.place(context)) is not whole, or out of its range"
            }
            return "\(Self.place(context)): \(words)"
        @unknown default: return "the body cannot be read"
        }
    }

    private static func place(_ context: Context) -> String {
        if context.codingPath.isEmpty { return "the body" }
        return context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    private static func name(of type: Any.Type) -> String {
        let swift = String(describing: type)
        if type == Bool.self { return "true or false" }
        if type == String.self { return "a text" }
        if type is any BinaryInteger.Type { return "a whole number" }
        if type is any BinaryFloatingPoint.Type { return "a number" }
        if swift.hasPrefix("Dictionary") { return "an object" }
        if swift.hasPrefix("Array") { return "a list" }
        return "what is wanted there"
    }
}
