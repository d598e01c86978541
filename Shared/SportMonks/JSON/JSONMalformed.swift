/// A text that breaks off, is malformed, is nested too deeply or is longer than an index can say.
struct JSONMalformed: Error, Equatable {}
