import Cricket

/// Remembers a revised target that stood only in the note, for later frames whose note says something else (rain again,
/// the result). A target in the provider's own field is in every frame and needs no memory.
struct TargetMemory: Codable, Sendable, Equatable {
    private var runs: Int?
    private var overs: Overs?

    /// Returns the frame with the remembered target where it has no target of its own.
    mutating func read(_ snapshot: MatchSnapshot) -> MatchSnapshot {
        guard snapshot.format != .firstClass, !snapshot.innings.isEmpty else { return snapshot }
        if snapshot.innings.count <= 2, let noted = NotedTarget(snapshot.note) {
            // The target in the note is the frame's revised target, or the plain target that the first innings set.
            let isRevised = snapshot.revisedTarget == noted.runs
            runs = isRevised ? noted.runs : nil
            overs = isRevised ? snapshot.revisedOvers : nil
            return snapshot
        }
        guard snapshot.revisedTarget == nil, let runs else { return snapshot }
        var snapshot = snapshot
        snapshot.revisedTarget = runs
        snapshot.revisedOvers = snapshot.revisedOvers ?? overs
        return snapshot
    }
}
