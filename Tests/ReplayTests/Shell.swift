import FoundationEssentials
import Glibc

/// Runs a program to its end, as a script would.
struct Shell {
    var status: Int32
    /// Standard output, without the last line feed, by line.
    var lines: [String]
    /// Standard error, likewise.
    var errors: [String]

    /// - Parameter words: the program and its arguments; none has a quote in it.
    static func run(_ words: [String]) throws -> Shell {
        var template = Array("/tmp/ss-replay-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(what: "no temporary folder") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let status = system("\(command) > \(folder)/out 2> \(folder)/err < /dev/null")
        guard status >= 0, status & 0x7F == 0 else { throw Failure(what: "\(command): status \(status)") }
        return Shell(
            status: (status >> 8) & 0xFF, lines: try read("\(folder)/out"), errors: try read("\(folder)/err"))
    }

    private static func read(_ path: String) throws -> [String] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    struct Failure: Error { var what: String }
}
