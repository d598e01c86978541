import Activities
import FanOut
import Synchronization
/// The gates of starts that are claimed and not answered. Closing a gate keeps a start that is no longer wanted from
/// leaving.
final class StartGates: Sendable {
    private struct Entry {
        var gate: PushGate
        /// The start is for the renewal of a running activity.
        var isRenewal: Bool

        /// Whether the start is still wanted for an activity of this status. When an earlier try was answered after
        /// all, this start would make a second activity.
        func isWanted(_ status: ActivityRecord.Status) -> Bool {
            switch status {
            case .pending: true
            case .active: isRenewal
            case .ended: false
            }
        }
    }

    private let entries = Mutex<[ActivityKey: Entry]>([:])

    func add(_ gate: PushGate, of key: ActivityKey, isRenewal: Bool) {
        entries.withLock { $0[key] = Entry(gate: gate, isRenewal: isRenewal) }
    }
    /// Removes the gate of a start that was answered or whose outcome will never be known.
    func remove(_ gate: PushGate, of key: ActivityKey) {
        entries.withLock { if $0[key]?.gate === gate { $0[key] = nil } }
    }

    /// Closes the gates of starts whose activities no longer want one.
    func close(for records: [ActivityRecord]) {
        entries.withLock { entries in
            guard !entries.isEmpty else { return }
            for record in records {
                guard let entry = entries[record.key], !entry.isWanted(record.status) else { continue }
                entry.gate.close()
                entries[record.key] = nil
            }
        }
    }
}
