/// The reason why an answer of the provider has no fixtures, in one line without anything secret.
public enum ProviderAnswerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The body has no byte in it.
    case empty
    /// The body is HTML, plain text or JSON that breaks off; the text says which.
    case notJSON(String)
    /// The body is JSON without usable `data`; `message` is the provider's own, if it sent one.
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
