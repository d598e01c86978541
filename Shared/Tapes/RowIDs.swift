/// The ids of a tape's rows. They are given out in the order in which the clean tape first has each row, so that a row
/// keeps its id in every frame, also when a slip of the scorer lets another row come first.
struct RowIDs: Sendable {
    enum Row: Hashable, Sendable {
        /// By the index of the innings.
        case runs(Int)
        case total(Int)
        case extra(Int)
        /// By innings and player.
        case batting(Int, Int64)
        case bowling(Int, Int64)
    }

    private let ids: TapeIDs
    private var numbers: [Row: Int] = [:]

    init(ids: TapeIDs) { self.ids = ids }

    /// The id of a row; a new one when it has none yet.
    mutating func id(of row: Row) -> Int64 {
        let number = numbers[row] ?? numbers.count + 1
        numbers[row] = number
        return ids.row(number)
    }
}
