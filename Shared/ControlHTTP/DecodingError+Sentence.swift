extension DecodingError {
    /// What is wrong, for who sent it.
    var sentence: String {
        func place(_ context: Context) -> String {
            context.codingPath.isEmpty ? "the body" : context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(place(context)) lacks \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return "\(place(context)): \(context.debugDescription)"
        @unknown default: return "the body cannot be read"
        }
    }
}
