/// The answer to a read that says which version of it is known.
public enum Tagged<Value: Sendable>: Sendable {
    /// It is as the tag that was sent says.
    case unchanged
    /// - tag: to be sent next time.
    case new(Value, tag: String?)
}
