// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(ActivityKit) && os(iOS)
    public import Foundation

    /// Returns one of the system's sequences as a stream that keeps only the newest values and ends with its reader's
    /// task.
    func stream<Source: AsyncSequence & SendableMetatype, Value: Sendable>(
        _ source: sending Source, startingWith first: Value? = nil, keeping count: Int = 1,
        _ convert: @escaping @Sendable (Source.Element) -> Value
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(count))
        if let first { continuation.yield(first) }
        let task = Task {
            do { for try await value in source { continuation.yield(convert(value)) } } catch {}
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    extension AsyncStream where Element: Sendable {
        static var ended: Self { Self { $0.finish() } }
    }

    extension Data {
        /// The bytes as lower-case hex, which is how APNs and the backend write a token.
        public var hexString: String { map { String(format: "%02x", $0) }.joined() }
    }
#endif
