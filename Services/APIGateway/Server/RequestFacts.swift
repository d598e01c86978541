/// What a request's head says about the connection and the body.
struct RequestFacts: Equatable {
    enum Body: Equatable {
        case none
        case bytes(Int)
        case chunked
    }

    var body = Body.none
    /// Nothing may follow on the connection: the client says so, speaks HTTP/1.0, or asks for another protocol. The last
    /// is not granted, but the decoder stops there.
    var isLast = false
    /// The client wants to be asked for the body.
    var expectsContinue = false
}
