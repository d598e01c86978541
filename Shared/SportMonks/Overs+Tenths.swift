import Cricket

extension Overs {
    /// The overs of the provider's number times ten: 184 is 18 overs and 4 balls. Six balls count as an over, should
    /// the provider ever say so.
    init(tenths: Int) {
        let completed = tenths / 10
        let balls = tenths % 10
        self = balls >= 6 ? Overs(completed: completed + 1, balls: 0) : Overs(completed: completed, balls: balls)
    }
}
