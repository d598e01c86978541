/// One change of the score between two frames.
enum TapeStep: Sendable {
    /// An innings begins: its index, from 0.
    case innings(Int)
    /// Index of the delivery.
    case delivery(Int)
    /// The other wicket of that delivery.
    case secondWicket(Int)
    /// Runs awarded to the batting side outside any delivery.
    case penalty(Int)
}
