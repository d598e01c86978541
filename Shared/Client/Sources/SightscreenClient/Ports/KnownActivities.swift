import SightscreenModels
import Synchronization

/// The activities that the system has given to this process. The system's list may lack one for a moment, and its
/// object still works then.
///
/// An `Object` is the system's handle of an activity, which any thread may use.
final class KnownActivities<Object>: Sendable {
    /// The system's handles are safe to use from any thread, though they do not say so.
    private struct Entry: @unchecked Sendable {
        var id: ActivityID
        var object: Object
    }

    /// The most objects that are kept; those that were given last. A phone shows at most five of one app at once.
    static var countMax: Int { 32 }

    private let entries = Mutex<[Entry]>([])

    init() {}

    func keep(_ object: Object, as id: ActivityID) {
        let entry = Entry(id: id, object: object)
        entries.withLock { entries in
            entries.removeAll { $0.id == id }
            entries.append(entry)
            if entries.count > Self.countMax { entries.removeFirst() }
        }
    }

    /// - Returns: the object that was given last with this id; nil for none.
    func find(_ id: ActivityID) -> Object? { entries.withLock { entries in entries.first { $0.id == id } }?.object }
}
