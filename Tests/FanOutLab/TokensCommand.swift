import ArgumentParser
import Glibc

/// What `apns-simulator` has to know before `fanout-lab send` is accepted: to be posted to its `/tokens`.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Prints the tokens of the lab's devices, one JSON object a line.")

    @Option(help: "How many devices.") var devices = 100_000
    @Option(help: "The match that they follow.") var match = 1

    mutating func run() async throws {
        let head = Array(#"{"token":""#.utf8)
        let tail = Array(#"","kind":"update","environment":"production","match":\#(match)}"#.utf8) + [10]
        var page: [UInt8] = []
        var token = ArraySlice([UInt8](repeating: 0, count: LabTokens.digits))
        for number in 0..<devices {
            LabTokens.write(number, to: &token)
            page += head
            page += token
            page += tail
            if page.count > 1 << 20 || number == devices - 1 {
                try Self.write(page)
                page.removeAll(keepingCapacity: true)
            }
        }
    }

    private static func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            guard count > 0 else { throw ExitCode.failure }
            written += count
        }
    }
}
