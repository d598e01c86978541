/// A state of the tables in which a call cannot be done.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// A migration was edited after it had run.
        case editedMigration
        /// The database's schema is newer than this version.
        case newerSchema
        /// A migration's tables were in use for longer than its patience.
        case tableInUse
        /// The lease for a write is held by another process, or was acquired anew.
        case leaseLost
        /// Another process has written since the row was read.
        case versionMoved
        /// A match's stamps are as far ahead of the clock as they may be.
        case tooSoon
        /// The table has as many rows as allowed.
        case full
    }

    public var code: Code
    public var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
