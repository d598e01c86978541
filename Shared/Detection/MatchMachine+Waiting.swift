import SightscreenModels

extension MatchMachine {
    /// An event that should alert, and waits for a second part of the frame or a second frame to agree, or for the result.
    struct WaitingAlert: Codable, Sendable, Equatable {
        var event: MatchEvent
        /// When it happened, milliseconds.
        var moment: Int64
        var firstFetchedAt: Int64
        /// Agreed upon; it waits for the result that comes of it.
        var hold: Hold?

        struct Hold: Codable, Sendable, Equatable {
            /// Milliseconds.
            var until: Int64
            var words: AlertWords
            var entry: CooldownFilter.Announced
        }
    }

    /// An event that was announced and is not there any more, and of which a second frame has to say so.
    struct WaitingCorrection: Codable, Sendable, Equatable {
        var key: String
        var firstFetchedAt: Int64
    }
}
