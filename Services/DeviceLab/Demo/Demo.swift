import Logging
import SightscreenClient
import SightscreenModels

/// The match that a lab shows by itself: loads its tape, lets most phones follow it before play, and plays it.
struct Demo: Sendable {
    /// One of so many phones does not follow, so that somebody can be seen to begin: the fifth, the fifteenth, and so on. Each of
    /// them is its user's only one.
    static let spectatorsEvery = 10
    private static let retryInterval = Duration.milliseconds(250)
    /// How long the bells may take to be confirmed.
    private static let patience = Duration.seconds(30)

    private struct NotYet: Error, CustomStringConvertible {
        var description: String
    }

    let tape: String
    let configuration: DeviceLabConfiguration
    let phones: [SimulatedIPhone]
    let matches: LabGateway
    let desk: TapeDesk
    let logger: Logger

    /// Returns when the match plays, or when it is cancelled.
    func run() async {
        guard let match = await patiently("load the tape", { try await load() }) else { return }
        _ = await patiently("find match \(match) in the schedule") { try await matches.refresh(match) }
        let followers = phones.enumerated().filter { $0.offset % Self.spectatorsEvery != 4 }.map(\.element)
        for phone in followers { try? await phone.perform(LabAction(.follow, matchId: match)) }
        let begun = ContinuousClock.now
        while await !isFollowed(match, by: followers), .now - begun < Self.patience, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(100))
        }
        _ = await patiently("play the tape") {
            try await desk.perform(TapeCommand(.play, of: match), current: match)
        }
        guard !Task.isCancelled else { return }
        logger.info(
            "The match plays",
            metadata: [
                "match": "\(match)", "followers": "\(followers.count)", "speed": "\(configuration.speed)",
            ])
    }

    private func isFollowed(_ match: MatchID, by followers: [SimulatedIPhone]) async -> Bool {
        for phone in followers {
            guard let bell = await phone.bells[match], bell.state != .empty, !bell.isPending else { return false }
        }
        return true
    }

    /// The tape as it is loaded already, where it has not been played to its end: the lab may have been started anew. Else
    /// under the tape's own id, or, where the database has that match from an earlier run, under one that is new.
    private func load() async throws -> MatchID {
        let known = try await desk.positions()
        if let position = known.last(where: { $0.tapeId == tape && !$0.isLast }) { return position.matchId }
        var playedBefore = false
        if let own = Int64(tape) { playedBefore = try await isKnown(MatchID(own)) }
        while true {
            let command = TapeCommand(
                load: tape, speed: configuration.speed, variant: configuration.variant, seed: configuration.tapeSeed)
            guard let position = try await desk.perform(command, current: nil) else {
                throw NotYet(description: "mock-sportmonks did not say which match it loaded")
            }
            if !playedBefore { return position.matchId }
            guard try await isKnown(position.matchId) else { return position.matchId }
            _ = try await desk.perform(TapeCommand(.stop, of: position.matchId), current: nil)
        }
    }

    private func isKnown(_ match: MatchID) async throws -> Bool {
        do throws(APIError) {
            try await matches.refresh(match)
            return true
        } catch {
            guard error.status == 404 else { throw error }
            return false
        }
    }

    /// Tries again until it succeeds or is cancelled: the suite may still be starting.
    private func patiently<Result: Sendable>(
        _ what: String, _ work: () async throws -> Result
    ) async -> Result? {
        let begun = ContinuousClock.now
        var said = begun
        while !Task.isCancelled {
            do { return try await work() } catch {
                if .now - said > .seconds(5) {
                    said = .now
                    logger.notice("Waiting to \(what)", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
        return nil
    }
}
