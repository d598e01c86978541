/// The distinct scores that balls embed. A match has some thirty of them, while a Test has two thousand balls that
/// embed them: a score with the same bytes as the last one of its id is not read again.
struct ScoreTable {
    private(set) var scores: [SlimScore] = []
    private var places: [SlimScore: Int] = [:]
    private var lastOfID: [Int64: (source: JSONValue, place: Int)] = [:]

    /// The position in `scores` of a ball's `score`; nil when it has no readable one.
    mutating func place(of ball: JSONValue) -> Int? {
        guard let source = ball["score"] else { return nil }
        let id = source.id("id")
        if let id, let last = lastOfID[id], last.source.hasSameBytes(as: source) { return last.place }
        guard let score = ball.included("score", as: RawScore.self)?.slim else { return nil }
        let place = places[score] ?? scores.count
        if place == scores.count {
            places[score] = place
            scores.append(score)
        }
        if let id { lastOfID[id] = (source, place) }
        return place
    }
}
