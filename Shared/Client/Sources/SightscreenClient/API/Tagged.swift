/// The answer to a read that names the version it already has.
public enum Tagged<Value: Sendable>: Sendable {
    /// The resource has not changed since the tag that was sent.
    case unchanged
    /// A new value, with the tag to send next time.
    case new(Value, tag: String?)
}
