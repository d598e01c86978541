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

struct Trouble: Error, CustomStringConvertible {
    var description: String
}
