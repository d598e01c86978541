/// The ids of a tape's rows. Ids are assigned in the order in which the clean tape first has each row, so that a row
/// keeps its id in every frame, even when a slip of the scorer brings another row first.
struct RowIDs: Sendable {
    enum Row: Hashable, Sendable {
        /// A row of `runs`, by the index of the innings.
        case runs(Int)
        case total(Int)
        case extra(Int)
        /// A row of `batting`, by innings and player.
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
