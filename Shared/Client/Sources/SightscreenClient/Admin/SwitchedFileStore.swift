/// The folder of the mode that it was made in: matches of a fake backend are never among the gateway's.
public struct SwitchedFileStore: FileStore {
    private let files: any FileStore

    /// - Parameters:
    ///   - files: with the gateway's.
    ///   - fake: another folder for each fake backend, by its name: "canned", "fake-api".
    public init(_ files: any FileStore, mode: FakeModeSwitch, fake: (String) -> any FileStore) {
        self.files = mode.mode.backend.map { fake($0) } ?? files
    }

    public func read(_ name: String) -> [UInt8]? { files.read(name) }
    public func write(_ bytes: [UInt8], to name: String) throws(FileStoreError) { try files.write(bytes, to: name) }
    public func touch(_ name: String) { files.touch(name) }
    public func remove(_ name: String) { files.remove(name) }
    public func list() -> [StoredFile] { files.list() }
}
