/// A simulated iPhone, as the lab drives and reads it.
public protocol LabPhone: Actor {
    /// Letters, digits, `-` and `_`, at most 64.
    nonisolated var id: String { get }
    /// Everything that is shown of it, as it is now.
    var state: LabPhoneState { get async }
    /// Yields when `state` has changed; several changes may yield once. Asked for once.
    nonisolated var changes: AsyncStream<Void> { get }
    /// Does it, as far as a person would wait for it: what goes on over the network shows in `state` later.
    ///
    /// - Throws: `LabRefusal` for what cannot be done as things are.
    func perform(_ action: LabAction) async throws
}
