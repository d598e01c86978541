import Logging
import SightscreenClient
import SightscreenModels

/// The match that a lab shows by itself: it loads the tape, lets most phones follow it before play, and plays it.
struct Demo: Sendable {
    /// Every tenth phone, from the fifth on, does not follow, so that a first follow can be shown. Each of them is the
    /// only phone of its user.
    static let spectatorsEvery = 10
    private static let retryInterval = Duration.milliseconds(250)
    /// The time in which the follows have to be confirmed.
    private static let patience = Duration.seconds(30)

    private struct NotYet: Error, CustomStringConvertible {
        var description: String
    }

    let tape: String
    let configuration: DeviceLabConfiguration
    let phones: [SimulatedIPhone]
    let matches: LabGateway
    let standIns: StandInControl
    let logger: Logger

    /// Loads and plays the match. It returns once the match plays, or when it is cancelled.
    func run() async {
        guard let match = await retrying("load the tape", { try await load() }) else { return }
        _ = await retrying("find match \(match) in the schedule") { try await matches.refresh(match) }
        let followers = phones.enumerated().filter { $0.offset % Self.spectatorsEvery != 4 }.map(\.element)
        for phone in followers { try? await phone.perform(LabAction(.follow, matchId: match)) }
        let begun = ContinuousClock.now
        while await !isFollowed(match, by: followers), .now - begun < Self.patience, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(100))
        }
        _ = await retrying("play the tape") {
            try await standIns.perform(TapeCommand(.play, of: match), current: match)
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
            guard let button = await phone.followButtons[match], button.state != .empty, !button.isPending else {
                return false
            }
        }
        return true
    }

    /// The match of a tape that is loaded already and not at its end, because the lab may have been restarted.
    /// Otherwise the tape is loaded under its own id, or under a new one where the database has that match from an
    /// earlier run.
    private func load() async throws -> MatchID {
        let known = try await standIns.positions()
        if let position = known.last(where: { $0.tapeId == tape && !$0.isLast }) { return position.matchId }
        var playedBefore = false
        if let own = Int64(tape) { playedBefore = try await isKnown(MatchID(own)) }
        while true {
            let command = TapeCommand(
                load: tape, speed: configuration.speed, variant: configuration.variant, seed: configuration.tapeSeed)
            guard let position = try await standIns.perform(command, current: nil) else {
                throw NotYet(description: "mock-sportmonks did not say which match it loaded")
            }
            if !playedBefore { return position.matchId }
            guard try await isKnown(position.matchId) else { return position.matchId }
            _ = try await standIns.perform(TapeCommand(.stop, of: position.matchId), current: nil)
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

    /// Repeats `work` until it succeeds or is cancelled, because the suite may still be starting.
    private func retrying<Result: Sendable>(
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
