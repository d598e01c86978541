import Messages
import Wire

extension WireDirectory {
    /// Whether a bus answers. A refusal is an answer as well: a bus of an older release does not know the request, and
    /// says so at once.
    func isAlive(_ bus: String) async -> Bool {
        do {
            _ = try await request(
                EncodedMessage(LivenessCheck()), to: bus, expecting: Alive.self, timeout: .seconds(1))
            return true
        } catch {
            return (error as? WireError)?.code == .refused
        }
    }
}
