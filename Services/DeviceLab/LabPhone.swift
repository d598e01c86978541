/// A simulated iPhone, as the lab drives and reads it.
public protocol LabPhone: Actor {
    /// The phone's id: letters, digits, `-` and `_`, at most 64.
    nonisolated var id: String { get }
    /// The whole state shown of the phone, as it is now.
    var state: LabPhoneState { get async }
    /// Yields when `state` has changed; several changes may yield once. It has one reader.
    nonisolated var changes: AsyncStream<Void> { get }
    /// Performs an action, as far as a person would wait for it; the effects over the network show in `state` later.
    ///
    /// - Throws: `LabRefusal` for an action that is impossible in the present state.
    func perform(_ action: LabAction) async throws
}
