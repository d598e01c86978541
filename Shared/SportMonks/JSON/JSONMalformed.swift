/// The text breaks off, is malformed, is nested too deeply or is too long for the index.
struct JSONMalformed: Error, Equatable {}
