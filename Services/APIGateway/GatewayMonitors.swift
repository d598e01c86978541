import Logging
import Postgres
import ServiceKit
import ServiceLifecycle
import Store

/// Waits for the database at the start; then `Presence` asks every two seconds whether it answers.
struct DatabaseMonitor: Service, CustomStringConvertible {
    let pool: PostgresPool
    let vault: TokenVault
    let presence: Presence
    let readiness: Readiness
    let logger: Logger

    var description: String { "database monitor" }

    func run() async throws {
        RateGate.beginCounters()
        TokenMoves.beginCounters()
        SecurityLog.beginCounters()
        readiness.set("database", false, reason: "waiting for PostgreSQL")
        try await cancelWhenGracefulShutdown {
            do {
                try await DatabaseStart.wait(for: pool, logger: logger)
                try await presence.begin { try await vault.check(pool) }
                readiness.set("database", true)
                await presence.run()
            } catch is CancellationError { return }
        }
        await pool.close()
    }
}

/// Closes the connection pool some time after the gateway was asked to stop. Requests that wait for a database that
/// does not answer then fail, instead of keeping the process alive beyond its time. It is the last of the services, so
/// it hears of the shutdown first.
struct DatabaseLastResort: Service, CustomStringConvertible {
    let pool: PostgresPool

    var description: String { "database's last resort" }

    func run() async throws {
        try await gracefulShutdown()
        // Nothing waits for this task: a gateway that has drained by then ends without it.
        Task.detached { [pool] in
            try? await Task.sleep(for: lastResortAfter)
            await pool.close()
        }
    }
}

/// Fetches the issuer's keys before the first request needs them, and again as they age, even when no requests come: a
/// key that the issuer withdrew must not stay trusted because the night was quiet. While the issuer cannot be reached
/// the keys stay valid for a day; then the gateway is not ready, and requests are sent to others.
struct KeyMonitor: Service, CustomStringConvertible {
    let keys: KeySource
    let readiness: Readiness
    /// The time between two looks at the keys' age, with keys and without.
    var interval = (known: Duration.seconds(60), unknown: Duration.seconds(1))

    var description: String { "issuer's keys" }

    func run() async throws {
        readiness.set("keys", false, reason: "the issuer's keys are not known")
        await cancelWhenGracefulShutdown {
            while true {
                let isKnown = await keys.current() != nil
                if isKnown {
                    readiness.degrade("keys", await keys.trouble.map { "the issuer's keys cannot be fetched: \($0)" })
                } else {
                    readiness.set("keys", false, reason: "the issuer's keys are not known")
                }
                do {
                    try await Task.sleep(for: isKnown ? interval.known : interval.unknown)
                } catch { return }
            }
        }
    }
}
