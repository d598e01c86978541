import FoundationEssentials
import Glibc
import Synchronization

/// What a run tells its operator: on standard error, or, while the phones draw a card on the same terminal, through a
/// file that they read. Lines of two processes in one place would erase each other.
final class RunNotes: Sendable {
    private let file: Mutex<String?> = Mutex(nil)

    func say(_ text: String) {
        file.withLock { file in
            if let file, Self.append(text + "\n", to: file) { return }
            Output.error(text)
        }
    }

    /// From now on lines go to this file; nil: to standard error.
    func divert(to path: String?) { file.withLock { $0 = path } }

    private static func append(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        Output.write(text, to: descriptor)
        return true
    }

    /// The other end: what was appended since the last call.
    struct Reader {
        let path: String
        private var seen = 0

        init(path: String) { self.path = path }

        mutating func newLines() -> [String] {
            guard let bytes = FileManager.default.contents(atPath: path)?.dropFirst(seen),
                let end = bytes.lastIndex(of: UInt8(ascii: "\n"))
            else { return [] }
            let whole = bytes[...end]
            seen += whole.count
            return whole.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
