import Cricket

/// Remembers a revised target that stood in the note alone, for later frames whose note says something else (rain again, the
/// result). A target that the provider gives in its own field is its word in every frame, and needs no memory.
struct TargetMemory: Codable, Sendable, Equatable {
    private var runs: Int?
    private var overs: Overs?

    /// The frame with the target that is remembered, where it has none of its own.
    mutating func read(_ snapshot: MatchSnapshot) -> MatchSnapshot {
        guard snapshot.format != .firstClass, !snapshot.innings.isEmpty else { return snapshot }
        if snapshot.innings.count <= 2, let noted = NotedTarget(snapshot.note) {
            // What the note says is what the frame has, or the plain target of the first innings.
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
