/// UserDefaults of the mode that it was made in: what a fake backend says of follows and of versions never counts for the
/// gateway's app. The session is the same in all modes.
public struct SwitchedStore: KeyValueStore {
    private static let common: Set<String> = [SessionShelf.markKey, FakeModeSwitch.key]

    private let store: any KeyValueStore
    private let prefix: String

    public init(_ store: any KeyValueStore, mode: FakeModeSwitch) {
        self.store = store
        prefix = mode.mode.backend.map { "debug.\($0)." } ?? ""
    }

    public func strings(forKey key: String) -> [String]? { store.strings(forKey: name(key)) }

    public func set(_ value: [String]?, forKey key: String) { store.set(value, forKey: name(key)) }

    private func name(_ key: String) -> String { Self.common.contains(key) ? key : prefix + key }
}
