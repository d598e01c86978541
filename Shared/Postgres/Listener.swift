import Reactor

/// Keeps one connection listening and feeds what it hears into a stream.
struct Listener: Sendable {
    /// Hints that wait for a slow reader; older ones are dropped, which the reader's own timer makes good.
    static let waitingMax = 4_096

    let configuration: PostgresConfiguration
    let channels: [String]
    let reactor: Reactor

    func run(into output: AsyncStream<PostgresNotification>.Continuation) async {
        var retry = Backoff.ofConnecting
        while !Task.isCancelled {
            let (losses, loss) = AsyncStream.makeStream(of: Void.self)
            let connection = PostgresConnection(reactor: reactor) { channel, payload in
                output.yield(.notified(channel: channel, payload: payload))
            }
            do {
                try await connection.open(configuration) { _ in loss.finish() }
                for channel in channels {
                    let name = channel.split(separator: "\"", omittingEmptySubsequences: false).joined(
                        separator: "\"\"")
                    _ = try await connection.query("LISTEN \"\(name)\"", [], deadline: .now + .seconds(5))
                }
                retry.reset()
                output.yield(.reconnected)
                // Ends with the connection, or with the task.
                for await _ in losses {}
            } catch {}
            await connection.close()
            try? await Task.sleep(for: retry.next())
        }
        output.finish()
    }
}
