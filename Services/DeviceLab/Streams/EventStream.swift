import HTTPTypes
import Hummingbird
import NIOCore

/// One browser's stream of server-sent events.
///
/// It writes what is newest, waits, and writes again when there is news: at most a few updates a second, however much
/// happens. Who does not read for too long is dropped, and finds everything anew when it comes back.
struct EventStream: Sendable {
    /// How fast, and how patient.
    struct Times: Sendable {
        /// Between two updates.
        var interval = Duration.milliseconds(250)
        /// For a browser to take one.
        var patience = Duration.seconds(10)

        init() {}
    }

    /// What the kernel keeps for a browser that does not read.
    static let sendBufferBytes = 128 << 10

    let lab: Lab
    let times: Times

    func response(to ticket: Lab.Ticket, on channel: any Channel) async -> Response {
        // A browser with a larger buffer would only be slower to be noticed.
        try? await channel.setOption(.socketOption(.so_sndbuf), value: .init(Self.sendBufferBytes)).get()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                do {
                    try await write(ticket, to: &writer, on: channel)
                } catch {
                    await lab.disconnect(ticket.id)
                    throw error
                }
                await lab.disconnect(ticket.id)
                try await writer.finish(nil)
            })
    }

    @concurrent
    private func write(_ ticket: Lab.Ticket, to writer: inout any ResponseBodyWriter, on channel: any Channel)
        async throws
    {
        for await _ in ticket.bell {
            guard let news = await lab.news(for: ticket.id) else { return }
            let bytes = try EventText.bytes(news)
            let late = channel.eventLoop.scheduleTask(in: TimeAmount(times.patience)) {
                channel.close(mode: .all, promise: nil)
            }
            defer { late.cancel() }
            try await writer.write(ByteBuffer(bytes: bytes))
            late.cancel()
            try await Task.sleep(for: times.interval)
        }
    }
}
