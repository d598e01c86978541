/// One change of the score between two frames.
enum TapeStep: Sendable {
    /// An innings begins; the value is its index, from 0.
    case innings(Int)
    /// The index of a delivery.
    case delivery(Int)
    /// The second wicket of that delivery.
    case secondWicket(Int)
    /// Runs awarded to the batting side outside any delivery.
    case penalty(Int)
}
