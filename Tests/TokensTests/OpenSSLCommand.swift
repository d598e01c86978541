import Glibc

/// The `openssl` command line: an oracle that shares no code of ours.
enum OpenSSLCommand {
    /// Runs `openssl` in a folder of its own that holds `files`, and gives back whether it succeeded and what it wrote
    /// to `output`.
    static func run(
        _ arguments: String, files: [String: [UInt8]] = [:], output: String? = nil
    ) -> (succeeded: Bool, output: [UInt8]) {
        shell("openssl \(arguments)", files: files, output: output)
    }

    static func text(_ arguments: String, output: String) -> String {
        String(decoding: run(arguments, output: output).output, as: UTF8.self)
    }

    /// What Python prints, for numbers that are longer than an `Int`; nil when it fails.
    static func python(_ script: String) -> String? {
        let (succeeded, output) = shell(
            "python3 script.py >result", files: ["script.py": Array(script.utf8)], output: "result")
        return succeeded ? String(decoding: output, as: UTF8.self) : nil
    }

    private static func shell(
        _ command: String, files: [String: [UInt8]], output: String?
    ) -> (succeeded: Bool, output: [UInt8]) {
        var template = Array("/tmp/tokens.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return (false, []) }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { _ = system("rm -rf \(folder)") }
        for (name, bytes) in files {
            guard let file = fopen("\(folder)/\(name)", "w") else { return (false, []) }
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
        let status = system("cd \(folder) && (\(command)) >command.log 2>&1")
        guard let output, let file = fopen("\(folder)/\(output)", "r") else { return (status == 0, []) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return (status == 0, Array(bytes.prefix(count)))
    }
}
