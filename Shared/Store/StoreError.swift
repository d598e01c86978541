/// What the tables say and the caller did not expect.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// A migration that has run was edited afterwards.
        case editedMigration
        /// The database is newer than this program.
        case newerSchema
        /// A migration found no moment in which others did not use its tables.
        case tableInUse
        /// The lease under which something was to be written is held by another process, or was taken anew.
        case leaseLost
        /// Somebody else has written since the row was read.
        case versionMoved
        /// The stamps of a match are as far ahead of the clock as they may be.
        case tooSoon
        /// There are as many as there may be.
        case full
    }

    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
