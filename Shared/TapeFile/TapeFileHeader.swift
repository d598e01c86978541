/// The first line of a tape file.
public struct TapeFileHeader: Sendable, Equatable {
    /// The version that this module writes and reads.
    public static let version = 1

    /// What was recorded, for people.
    public var title: String
    /// `2026-11-21T18:30:00Z`: when the first answer's clock began.
    public var recordedAt: String

    public init(title: String, recordedAt: String) {
        self.title = title
        self.recordedAt = recordedAt
    }
}
