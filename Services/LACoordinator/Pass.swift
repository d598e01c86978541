import FanOut
import Logging
import ServiceKit

/// One pass over the tables: reads what changed and does what is due.
actor Pass {
    private typealias Step = @Sendable () async throws -> Void

    private let publisher: MatchPublisher
    private let tokens: ProviderTokens
    private let roster: ShardRoster
    private let senders: OneShotSenders
    private let channels: ChannelKeeper
    private let progress: ProgressWriter
    private let fanOut: FanOutLoops
    private let calls: LastCalls
    private let logger: Logger
    private var isFailing = false

    init(
        publisher: MatchPublisher, tokens: ProviderTokens, roster: ShardRoster, senders: OneShotSenders,
        channels: ChannelKeeper, progress: ProgressWriter, fanOut: FanOutLoops, calls: LastCalls, logger: Logger
    ) {
        self.publisher = publisher
        self.tokens = tokens
        self.roster = roster
        self.senders = senders
        self.channels = channels
        self.progress = progress
        self.fanOut = fanOut
        self.calls = calls
        self.logger = logger
    }

    /// Runs one pass. A failing database is reported once, and the next pass tries again.
    func run(_ reading: Schedule.Reading) async {
        do {
            try await reading.isFull ? readAll() : read(reading)
            // Only a full reading proves that the database works again; a notification may ask for very little.
            guard reading.isFull else { return }
            if isFailing { logger.notice("The database answers again") }
            isFailing = false
        } catch {
            if !isFailing, !Task.isCancelled {
                logger.warning("The database cannot be read", metadata: ["error": "\(error)"])
            }
            isFailing = true
        }
    }

    private func readAll() async throws {
        try await publisher.readClock()
        try await tokens.show()
        try await roster.update(clock: publisher.clock) { @Sendable [publisher, senders] (held: [Int: HeldShard]) in
            // An error here is ignored: the same steps run again below, and report it.
            try? await publisher.read()
            try? await senders.ends.send(held)
        }
        try await publisher.read()
        let held = await roster.held
        try await runEach(
            [{ [channels] in try await channels.run(held) }] + oneShots(held) + [
                publisher.repeatAlertStates,
                { [progress] in try await progress.settle(held) },
                { [progress, fanOut, calls] in
                    await FanOutMetrics.count(fanOut, calls)
                    await progress.time()
                    try await progress.note()
                },
            ])
        await publisher.forgetFinished()
        await progress.forgetFinished()
        await fanOut.onEach { $0.forgetFinished() }
    }
    /// Reads what the notifications named, and sends what became due by it.
    private func read(_ reading: Schedule.Reading) async throws {
        // One statement reads those of many matches, among them some whose notification had no room.
        if reading.matches.count == 1 {
            try await publisher.read(reading.matches.first)
        } else if !reading.matches.isEmpty {
            try await publisher.read()
        }
        guard reading.activities else { return }
        try await roster.readChanges(publisher.clock)
        try await runEach(oneShots(roster.held))
    }

    private func oneShots(_ held: [Int: HeldShard]) -> [Step] {
        [
            { [senders] in try await senders.ends.send(held) },
            { [senders] in
                await senders.tokenOutcomes.write()
                try await senders.starts.send(held)
            },
            { [senders] in try await senders.appPushes.send(held) },
        ]
    }

    /// Runs every step even if one fails, and reads changes in between. A slow statement must neither keep the others
    /// from their turn nor let what is known grow too old.
    private func runEach(_ steps: [Step]) async throws {
        var failure: (any Error)?
        for step in steps {
            do { try await step() } catch { failure = error }
            do { try await roster.readChanges(after: LACoordinator.interval, clock: publisher.clock) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
