import Reactor

/// Keeps one connection listening and passes its notifications to a stream.
struct Listener: Sendable {
    /// The most notifications that wait for a slow reader; older ones are dropped, and the reader's own timer makes up
    /// for them.
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
                // This loop ends with the connection, or with the task.
                for await _ in losses {}
            } catch {}
            await connection.close()
            try? await Task.sleep(for: retry.next())
        }
        output.finish()
    }
}
