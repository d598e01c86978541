/// Transactions that run on the reactor's thread alone: the pool and its connections live there, so no step waits until
/// another thread has been woken.
extension PoolCore {
    func exchange<Plan: Sendable>(
        _ reading: [PostgresStatement], due: ContinuousClock.Instant, _ check: @Sendable () throws -> Void,
        _ decide: @Sendable ([PostgresResult]) throws -> (writing: [PostgresStatement], Plan)
    ) async throws -> (written: [PostgresResult], plan: Plan) {
        let connection = try await leaseUnlessStopped(due, check)
        do {
            var read = try await connection.query([PostgresStatement("BEGIN")] + reading, deadline: due)
            read.removeFirst()
            let (writing, plan) = try decide(read)
            var written = try await connection.query(
                writing + [PostgresStatement("COMMIT")], deadline: due, ahead: true)
            try Self.check(commit: written.removeLast())
            release(connection)
            return (written, plan)
        } catch {
            await abandon(connection)
            throw error
        }
    }

    func exchange(
        _ statements: [PostgresStatement], due: ContinuousClock.Instant, _ check: @Sendable () throws -> Void
    ) async throws -> [PostgresResult] {
        let connection = try await leaseUnlessStopped(due, check)
        do {
            var results = try await connection.query(
                [PostgresStatement("BEGIN")] + statements + [PostgresStatement("COMMIT")], deadline: due,
                ahead: true)
            try Self.check(commit: results.removeLast())
            results.removeFirst()
            release(connection)
            return results
        } catch {
            await abandon(connection)
            throw error
        }
    }

    private func leaseUnlessStopped(
        _ due: ContinuousClock.Instant, _ check: @Sendable () throws -> Void
    ) async throws -> PostgresConnection {
        let connection = try await lease(deadline: due)
        do { try check() } catch {
            release(connection)
            throw error
        }
        return connection
    }

    /// Checks that the transaction was committed: COMMIT rolls back, without an error, if a statement had failed.
    static func check(commit end: PostgresResult) throws {
        guard end.commandTag == "COMMIT" else {
            throw PostgresError(.server("25P02"), "the transaction was rolled back", sqlState: "25P02")
        }
    }

    /// Rolls back and releases a connection whose transaction failed.
    func abandon(_ connection: PostgresConnection) async {
        if await connection.isUsable {
            // A connection that cannot even roll back is closed, so that it is not used again.
            let end = try? await connection.query("ROLLBACK", [], deadline: .now + .seconds(5))
            if end == nil { await connection.close() }
        } else {
            // What is closed is rolled back by the server.
            await connection.close()
        }
        release(connection)
    }
}
