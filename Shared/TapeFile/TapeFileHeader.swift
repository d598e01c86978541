/// The first line of a tape file.
public struct TapeFileHeader: Sendable, Equatable {
    /// The version that this module writes and reads.
    public static let version = 1

    /// The recording's title, for people.
    public var title: String
    /// The time from which `atMs` counts: `2026-11-21T18:30:00Z`.
    public var recordedAt: String

    package init(title: String, recordedAt: String) {
        self.title = title
        self.recordedAt = recordedAt
    }
}
