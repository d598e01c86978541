/// Lets the callers of one key in one after the other, in the order in which they came, so that those who would only wait
/// for each other's locks hold no connection meanwhile.
package actor Turns {
    /// Why a caller does not get its turn.
    package enum Refusal: Error, Hashable, Sendable {
        /// Too many wait already.
        case full
        case late
    }

    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
        let timer: Task<Void, Never>
    }

    private let waitersMax: Int
    private let patience: Duration
    /// Those who wait, by key. A key is there while a caller has its turn.
    private var lines: [String: [Waiter]] = [:]
    private var nextID: UInt64 = 0

    /// - Parameters:
    ///   - waitersMax: of one key, besides the caller who has the turn.
    ///   - patience: the longest time that a caller waits.
    init(waitersMax: Int, patience: Duration) {
        self.waitersMax = waitersMax
        self.patience = patience
    }

    /// Runs `body` when no other caller has the turn of any of the keys.
    ///
    /// - Parameter keys: in an order that is the same for all callers.
    /// - Throws: `Refusal`, `CancellationError`, and what `body` throws.
    nonisolated func take<T: Sendable>(_ keys: [String], _ body: () async throws -> T) async throws -> T {
        var taken: [String] = []
        do {
            for key in keys {
                try await begin(key)
                taken.append(key)
            }
            let value = try await body()
            await end(taken)
            return value
        } catch {
            await end(taken)
            throw error
        }
    }

    private func begin(_ key: String) async throws {
        guard let line = lines[key] else {
            lines[key] = []
            return
        }
        guard line.count < waitersMax else { throw Refusal.full }
        let id = nextID
        nextID += 1
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = Task { [patience] in
                    guard (try? await Task.sleep(for: patience)) != nil else { return }
                    self.giveUp(id, of: key, Refusal.late)
                }
                lines[key]?.append(Waiter(id: id, continuation: continuation, timer: timer))
                if Task.isCancelled { giveUp(id, of: key, CancellationError()) }
            }
        } onCancel: {
            Task { await self.giveUp(id, of: key, CancellationError()) }
        }
    }

    private func giveUp(_ id: UInt64, of key: String, _ error: any Error) {
        guard let index = lines[key]?.firstIndex(where: { $0.id == id }), let waiter = lines[key]?.remove(at: index)
        else { return }
        waiter.timer.cancel()
        waiter.continuation.resume(throwing: error)
    }

    private func end(_ keys: [String]) {
        for key in keys {
            if let next = lines[key]?.first {
                lines[key]?.removeFirst()
                next.timer.cancel()
                next.continuation.resume()
            } else {
                lines[key] = nil
            }
        }
    }

    /// How many wait for the turn of a key.
    func waiting(_ key: String) -> Int { lines[key]?.count ?? 0 }
}
