import APNsProtocol
import Activities
import Logging
import Messages
import Metrics
import ServiceKit
import Sightscreen
import Store

extension LACoordinator {
    /// An update was answered, or not.
    func finished(
        _ row: RosterRow, of match: MatchFanOut, _ stamp: Stamp, alert: MatchVersion?, alertedBefore: MatchVersion?,
        _ result: PushResult
    ) {
        switch result {
        case .answered(let answer) where answer.action == .accepted:
            _ = badTokens.note(isBad: false)
            delivered(row, of: match, stamp)
        case .answered(let answer):
            // Not processed: the alert is still to be told, if it stays fresh.
            if alert != nil { row.alertedThrough = alertedBefore }
            refused(row, of: match, stamp, answer)
        case .refused, .withdrawn, .held:
            if alert != nil { row.alertedThrough = alertedBefore }
            let wait: Duration = if case .held = result { .seconds(10) } else { .milliseconds(50) }
            again(row, of: match, stamp, after: row.nextDelay(from: wait, to: .seconds(10)))
        case .braked:
            // It goes on as the hold allows: without the alert, or when the hold is lifted.
            if alert != nil { row.alertedThrough = alertedBefore }
            _ = row.convergence.answered(stamp, .notDelivered, thenSend: false)
            advance(row, of: match)
        case .unknown:
            // The phone may have been told: the alert is never repeated.
            if alert != nil { countLostAlerts() }
            row.repeatsQuietly = true
            again(row, of: match, stamp, after: row.nextDelay(from: .milliseconds(500), to: .seconds(10)))
        }
        if pushes < Self.pushesMax / 2 {
            for other in matches.values where other.canGoOn { proceed(other) }
        }
    }

    private func delivered(_ row: RosterRow, of match: MatchFanOut, _ stamp: Stamp) {
        row.failures = 0
        row.repeatsQuietly = false
        row.isNew = false
        _ = row.convergence.answered(stamp, .accepted, thenSend: false)
        match.needsSettling = true
        if let newest = match.update?.stamp, stamp >= newest, match.outstanding > 0 {
            match.outstanding -= 1
            if match.outstanding == 0 {
                Metrics.Timer(label: "sightscreen_fanout_seconds").record(duration: .now - match.publishedAt)
            }
        }
        advance(row, of: match)
    }

    private func refused(_ row: RosterRow, of match: MatchFanOut, _ stamp: Stamp, _ answer: APNsAnswer) {
        switch answer.action {
        case .tokenDead(let sinceMs):
            if isAbout(row, sinceMs) {
                retire(row, of: match)
            } else {
                // Of an earlier life of the token.
                again(row, of: match, stamp, after: row.nextDelay(from: .seconds(1), to: .seconds(60)))
            }
        case .tokenUnknown:
            guard badTokens.note(isBad: true) else {
                logger.error("Many tokens are called bad: none of them is retired. Are they of the other environment?")
                again(row, of: match, stamp, after: .seconds(60))
                return
            }
            retire(row, of: match)
        case .ourBug, .rebuildSmaller:
            // This version cannot be sent as it is; the next one may.
            _ = row.convergence.answered(stamp, .accepted, thenSend: false)
            advance(row, of: match)
        case .backOffToken:
            again(row, of: match, stamp, after: row.nextDelay(from: .seconds(5), to: .seconds(60)))
        case .freezeProviderToken, .retryLater, .refreshProviderToken:
            again(row, of: match, stamp, after: row.nextDelay(from: .seconds(1), to: .seconds(30)))
        case .stopTopic, .stopSending, .keyRevoked:
            again(row, of: match, stamp, after: row.nextDelay(from: .seconds(10), to: .seconds(60)))
        case .accepted, .reconnect, .connectForKey:
            again(row, of: match, stamp, after: row.nextDelay(from: .milliseconds(100), to: .seconds(10)))
        }
    }

    /// Whether a word of that time, if it has one, is about the token as it is registered.
    private func isAbout(_ row: RosterRow, _ sinceMs: Int64?) -> Bool {
        func moment(_ seconds: Double) -> Moment { Moment(milliseconds: Int((seconds * 1_000).rounded(.down))) }
        return LifePolicy().isAbout(
            registered: moment(row.tokenAt), since: sinceMs.map { Moment(milliseconds: Int($0)) }, moment(clock.now))
    }

    private func retire(_ row: RosterRow, of match: MatchFanOut) {
        _ = row.convergence.answered(Stamp(0), .tokenIsDead, thenSend: false)
        if match.rows[row.key] === row { drop(row, of: match) }
        row.gate.close()
        let (key, token, tokenAt) = (row.key, row.token, row.tokenAt)
        Task { await noteDead(key, token, tokenAt) }
    }

    /// Writes the verdict down, however long the database takes: an activity that is active in the table and gets nothing
    /// would keep its follower from another start.
    private func noteDead(_ key: ActivityKey, _ token: UpdateToken, _ tokenAt: Double) async {
        var backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(10))
        var isSaid = false
        while true {
            do { return try await store.retire(key, token: token, tokenAt: tokenAt) } catch {
                if !isSaid { logger.warning("A dead token cannot be retired yet", metadata: ["error": "\(error)"]) }
                isSaid = true
            }
            // Whoever takes over finds it dead again.
            if isStopping { return }
            try? await Task.sleep(for: backoff.next())
        }
    }

    private func again(_ row: RosterRow, of match: MatchFanOut, _ stamp: Stamp, after delay: Duration) {
        _ = row.convergence.answered(stamp, .notDelivered, thenSend: false)
        row.retryAt = .now + delay
        Task {
            try? await Task.sleep(for: delay)
            self.advance(row, of: match)
        }
    }

    // MARK: - Progress

    /// Notes how far the buckets of each match have come.
    func settleProgress() async throws {
        for match in matches.values where match.needsSettling {
            match.needsSettling = false
            var least: [Int: Stamp] = [:]
            var open: Set<Int> = []
            for row in match.rows.values {
                guard let delivered = row.convergence.delivered else {
                    open.insert(row.bucket)
                    continue
                }
                least[row.bucket] = min(least[row.bucket] ?? delivered, delivered)
            }
            let news = least.filter { bucket, stamp in
                !open.contains(bucket) && (match.settled[bucket].map { $0 < stamp } ?? true)
            }
            guard !news.isEmpty else { continue }
            do { try await store.settle(match.id, news, bucketCount: Self.bucketCount) } catch {
                match.needsSettling = true
                throw error
            }
            match.settled.merge(news) { max($0, $1) }
        }
    }
}
