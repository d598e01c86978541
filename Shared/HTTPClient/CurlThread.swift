internal import CCurl
internal import Glibc

/// The thread on which libcurl's multi handle lives. `curl_multi_wakeup` is the only call on it from other threads.
///
/// `@unchecked Sendable`: the queues are behind `lock`; the rest is touched on the thread alone.
final class CurlThread: @unchecked Sendable {
    private static let initialised: Void = {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT)); return ()
    }()

    private let multi: OpaquePointer
    private var lock = pthread_mutex_t()
    private var arriving: [Transfer] = []
    private var cancelled: [Transfer] = []
    private var isStopping = false
    private var running: [OpaquePointer: Transfer] = [:]

    init() {
        _ = Self.initialised
        guard let multi = curl_multi_init() else { preconditionFailure("no memory for libcurl") }
        self.multi = multi
        pthread_mutex_init(&lock, nil)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<CurlThread>.fromOpaque(raw).takeRetainedValue().loop()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "no thread left for libcurl")
        pthread_detach(thread)
    }

    func add(_ transfer: Transfer) { locked { arriving.append(transfer) } }

    func cancel(_ transfer: Transfer) { locked { cancelled.append(transfer) } }

    /// Ends the thread; requests in flight fail.
    func stop() { locked { isStopping = true } }

    // MARK: - On the thread

    private func loop() {
        var stops = false
        while !stops {
            pthread_mutex_lock(&lock)
            let new = arriving
            let gone = cancelled
            arriving = []
            cancelled = []
            stops = isStopping
            pthread_mutex_unlock(&lock)
            // A cancelled transfer that has not arrived yet is refused when it does; its continuation is the caller's until
            // then.
            gone.forEach { $0.isCancelled = true }
            new.forEach(begin)
            for transfer in gone where transfer.easy != nil { end(transfer, .failure(CancellationError())) }
            var active: Int32 = 0
            curl_multi_perform(multi, &active)
            collect()
            if !stops { curl_multi_poll(multi, nil, 0, 60_000, nil) }
        }
        for transfer in running.values {
            transfer.fail(.transport, "the client was closed")
            remove(transfer)
        }
        curl_multi_cleanup(multi)
        pthread_mutex_destroy(&lock)
    }

    private func begin(_ transfer: Transfer) {
        guard !transfer.isCancelled else { return transfer.resume(.failure(CancellationError())) }
        guard let easy = transfer.prepare() else {
            transfer.fail(.badRequest, "the request cannot be sent as it is")
            transfer.release()
            return
        }
        running[easy] = transfer
        curl_multi_add_handle(multi, easy)
    }

    private func collect() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = running[easy]
            else { continue }
            transfer.finish(ccurl_message_result(message))
            remove(transfer)
        }
    }

    private func end(_ transfer: Transfer, _ result: Result<HTTPClientResponse, any Error>) {
        transfer.resume(result)
        remove(transfer)
    }

    private func remove(_ transfer: Transfer) {
        guard let easy = transfer.easy else { return }
        running[easy] = nil
        curl_multi_remove_handle(multi, easy)
        transfer.release()
    }

    private func locked(_ change: () -> Void) {
        pthread_mutex_lock(&lock)
        change()
        // Under the lock, since a thread that was told to stop frees the handle as soon as it has the lock.
        curl_multi_wakeup(multi)
        pthread_mutex_unlock(&lock)
    }
}
