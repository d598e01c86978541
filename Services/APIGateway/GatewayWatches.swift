import Logging
import Postgres
import ServiceKit
import ServiceLifecycle
import Store

/// Waits for the database at the start and knows afterwards whether it answers.
struct DatabaseWatch: Service, CustomStringConvertible {
    static let interval = Duration.seconds(2)

    let pool: PostgresPool
    let vault: TokenVault
    let readiness: Readiness
    let logger: Logger

    var description: String { "database watch" }

    func run() async throws {
        RateGate.beginCounters()
        TokenMoves.beginCounters()
        readiness.set("database", false, reason: "waiting for PostgreSQL")
        try await cancelWhenGracefulShutdown {
            do {
                try await DatabaseStart.wait(for: pool, logger: logger)
                try await vault.check(pool)
                readiness.set("database", true)
                while true {
                    try await Task.sleep(for: Self.interval)
                    await check()
                }
            } catch is CancellationError { return }
        }
        await pool.close()
    }

    private func check() async {
        do {
            try await ScheduleStore(pool: pool).check()
            if !readiness.missing.allSatisfy({ $0.name != "database" }) { logger.notice("PostgreSQL answers again") }
            readiness.set("database", true)
        } catch is CancellationError {
            return
        } catch {
            if readiness.missing.allSatisfy({ $0.name != "database" }) {
                logger.warning("PostgreSQL does not answer", metadata: ["reason": "\(error)"])
            }
            readiness.set("database", false, reason: "PostgreSQL does not answer")
        }
    }
}

/// The last of the services, so that it is the first to hear that the gateway is to stop: requests that then wait for a
/// database that does not answer are told so, and do not keep the process beyond its time.
struct DatabaseLastResort: Service, CustomStringConvertible {
    let pool: PostgresPool

    var description: String { "database's last resort" }

    func run() async throws {
        try await gracefulShutdown()
        // Not waited for: who has drained by then ends without it.
        Task.detached { [pool] in
            try? await Task.sleep(for: lastResortAfter)
            await pool.close()
        }
    }
}

/// Fetches the issuer's keys before the first request needs them, and again as they age, whether requests come or not:
/// a key that the issuer gave up is not trusted for longer because the night was quiet. While the issuer is away the
/// keys go on for a day; then requests are sent elsewhere.
struct KeyWatch: Service, CustomStringConvertible {
    let keys: KeySource
    let readiness: Readiness
    /// How often their age is looked at, with keys and without.
    var interval = (known: Duration.seconds(60), unknown: Duration.seconds(1))

    var description: String { "issuer's keys" }

    func run() async throws {
        readiness.set("keys", false, reason: "the issuer's keys are not known")
        await cancelWhenGracefulShutdown {
            while true {
                let isKnown = await keys.current() != nil
                readiness.set("keys", isKnown, reason: "the issuer's keys are not known")
                do {
                    try await Task.sleep(for: isKnown ? interval.known : interval.unknown)
                } catch { return }
            }
        }
    }
}
