import SightscreenModels
import FanOut
import Logging
import Metrics

/// Does what the loops ask for, and logs and counts what they report about APNs.
struct ReportHandler: Sendable {
    private let reports: FanOutReports
    private let publisher: MatchPublisher
    private let senders: OneShotSenders
    private let tokens: ProviderTokens
    private let channels: ChannelKeeper
    private let schedule: Schedule
    private let logger: Logger

    init(
        reports: FanOutReports, publisher: MatchPublisher, senders: OneShotSenders, tokens: ProviderTokens,
        channels: ChannelKeeper, schedule: Schedule, logger: Logger
    ) {
        self.reports = reports
        self.publisher = publisher
        self.senders = senders
        self.tokens = tokens
        self.channels = channels
        self.schedule = schedule
        self.logger = logger
    }

    /// Handles reports until the task is cancelled.
    func run() async { await reports.forEach { await answer($0) } }

    private func answer(_ report: FanOutReport) async {
        switch report {
        case .claim(let match, let version, let buckets): await publisher.claim(match, version, buckets)
        case .stamp(let match): await publisher.takeStamp(match) { [schedule] in schedule.read(match) }
        case .channelThrottled(let key, let perMinute, let restsUntil):
            await channels.throttled(key, perMinute: perMinute, restsUntil: restsUntil)
        case .channelGone(let key, let reason): await channels.lost(key, reason: reason)
        case .broadcastOff(let environment, let reason): await channels.stopped(environment, reason: reason)
        case .dead(let dead):
            await senders.tokenOutcomes.noteDead(dead)
            schedule.readActivities()
        case .rejectedEnds(let tokens): await senders.tokenOutcomes.noteRejected(tokens)
        case .drained(let match, let key): await senders.ends.release(match, key)
        case .lostAlerts(let count): Counter(label: "sightscreen_alerts_lost_total").increment(by: Int64(count))
        case .expiredToken(let serial): await tokens.replace(serial)
        case .tooManyTokens(let serial): await tokens.showOlder(than: serial)
        case .closed(let environment, let host, let reason):
            Self.countClosed(environment, by: 1)
            logger.info("APNs connection closed", metadata: ["apns.host": "\(host)", "reason": "\(reason)"])
        case .refused(let refusal):
            logger.log(level: refusal.level, "APNs refuses a push", metadata: refusal.metadata)
        }
    }
}

extension ReportHandler {
    static func beginCounters() { for environment in APNsEnvironment.allCases { countClosed(environment, by: 0) } }

    fileprivate static func countClosed(_ environment: APNsEnvironment, by count: Int64) {
        Counter(label: "sightscreen_apns_connections_closed_total", dimensions: [("environment", environment.rawValue)])
            .increment(by: count)
    }
}

extension FanOutReport.APNsRefusal {
    /// A token that dies is no trouble; what is wrong with our key, topic or payload somebody must correct.
    fileprivate var level: Logger.Level {
        switch subject {
        case .token: .info
        case .host: .warning
        case .us: .error
        }
    }

    fileprivate var metadata: Logger.Metadata {
        ["apns.status": "\(status)", "apns.reason": "\(reason)", "apns.host": "\(host)"]
    }
}
