import HTTPTypes
import Hummingbird
import NIOCore

/// One browser's stream of server-sent events.
///
/// The stream writes the newest state, waits, and writes again when there is an update: at most a few updates a second,
/// however much happens. A browser that does not read for too long is dropped, and gets the whole state when it comes
/// back.
struct EventStream: Sendable {
    /// The intervals and the patience of a stream.
    struct Times: Sendable {
        /// The least time between two updates.
        var interval = Duration.milliseconds(250)
        /// The time for a browser to receive one.
        var patience = Duration.seconds(10)

        init() {}
    }

    /// Bytes that the kernel keeps for a browser that does not read.
    static let sendBufferBytes = 128 << 10

    let lab: Lab
    let times: Times

    func response(to ticket: Lab.Ticket, on channel: any Channel) async -> Response {
        // With a larger buffer, a browser that does not read would only be noticed later.
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
        for await _ in ticket.wakeUps {
            guard let update = await lab.update(for: ticket.id) else { return }
            let bytes = try EventText.bytes(update)
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
