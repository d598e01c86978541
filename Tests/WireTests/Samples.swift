import Messages

struct Ping: Message, Equatable {
    static let type = "ping"
    var number: Int
    var padding = ""
}

struct Pong: Message, Equatable {
    static let type = "pong"
    var number: Int
}

struct Rumour: Message, Equatable {
    static let type = "rumour"
    var number: Int
    var padding = ""
}

/// What no server here knows.
struct Novelty: Message, Equatable {
    static let type = "novelty"
    var list = [1, 2]
}

struct Trouble: Error, CustomStringConvertible {
    var description: String
}
