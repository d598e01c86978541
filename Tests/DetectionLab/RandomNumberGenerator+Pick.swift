extension RandomNumberGenerator {
    /// One of them; the collection is not empty.
    mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
        let place = Int.random(in: 0..<choices.count, using: &self)
        return choices[choices.index(choices.startIndex, offsetBy: place)]
    }

    /// True once in so many times.
    mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}
