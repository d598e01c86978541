import Glibc

/// A command of the system that reads its standard input.
enum Command {
    struct Failed: Error { var status: Int32 }

    /// - Returns: what it wrote. Input and output go through files, so that no pipe fills up.
    static func run(_ name: String, _ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        let paths = try [file(), file()]
        defer { paths.forEach { unlink($0) } }
        let source = open(paths[0], O_WRONLY)
        var written = 0
        while written < input.count {
            let count = input.withUnsafeBytes {
                write(source, $0.baseAddress?.advanced(by: written), input.count - written)
            }
            guard count > 0 else { throw Failed(status: errno) }
            written += count
        }
        close(source)
        let command = ([name] + arguments).joined(separator: " ")
        let status = system("\(command) < \(paths[0]) > \(paths[1])")
        guard status == 0 else { throw Failed(status: status) }
        return try bytes(paths[1])
    }

    private static func file() throws -> String {
        var template = Array("/tmp/ss-tape-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Failed(status: errno) }
        close(descriptor)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw Failed(status: errno) }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw Failed(status: errno) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }
}
