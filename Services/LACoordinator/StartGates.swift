import Activities
import FanOut
import Synchronization

/// The gates of starts that have been claimed and not been answered: a start that nobody needs any more does not leave.
final class StartGates: Sendable {
    private struct Entry {
        var gate: PushGate
        /// It takes the place of an activity that runs.
        var isRenewal: Bool

        /// An earlier try may have been answered after all: another activity would be a second one.
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

    /// It is answered, or never will be.
    func remove(_ gate: PushGate, of key: ActivityKey) {
        entries.withLock { if $0[key]?.gate === gate { $0[key] = nil } }
    }

    /// Closes those of activities that are no longer in want of one.
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
