/// Why an answer of the provider holds no fixtures, in one line without anything secret.
public enum ProviderAnswerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The body has no byte in it.
    case empty
    /// HTML, plain text, JSON that breaks off: what it is.
    case notJSON(String)
    /// JSON without usable `data`; the provider's own message, if it sent one.
    case noData(message: String?)
    /// The one fixture that was asked for cannot be read.
    case brokenFixture(String)

    public var description: String {
        switch self {
        case .empty: "the provider's answer is empty"
        case .notJSON(let what): "the provider's answer is not JSON: \(what)"
        case .noData(nil): "the provider's answer has no data"
        case .noData(let message?): "the provider's answer has no data; it says: \(message)"
        case .brokenFixture(let reason): "the provider's fixture cannot be read: \(reason)"
        }
    }
}
