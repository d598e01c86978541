public import Glibc

/// Runs command-line tools that a test needs.
public enum Tool {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String

        public init(description: String) { self.description = description }
    }

    /// Starts a program found in PATH; its output goes to `output`.
    public static func start(_ arguments: [String], output: String = "/dev/null") throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var native = arguments.map { strdup($0) } + [nil]
        defer { native.forEach { free($0) } }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, arguments[0], &actions, nil, &native, environ)
        guard status == 0 else { throw Failure(description: "\(arguments[0]): \(String(cString: strerror(status)))") }
        return pid
    }

    /// Runs a program to its end and gives back what it printed.
    @discardableResult
    public static func run(_ arguments: [String], in folder: String) async throws -> String {
        let output = "\(folder)/out-\(UInt32.random(in: 0...UInt32.max))"
        let pid = try start(arguments, output: output)
        var status: Int32 = 0
        while waitpid(pid, &status, WNOHANG) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        let text = try read(output)
        unlink(output)
        guard status == 0 else { throw Failure(description: "\(arguments.joined(separator: " ")): \(status)\n\(text)") }
        return text
    }

    public static func stop(_ pid: pid_t) {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    public static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Failure(description: "\(path) cannot be read") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    public static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw Failure(description: "\(path) cannot be written") }
        fputs(text, file)
        fclose(file)
    }

    /// Blocks the calling thread, on purpose.
    public static func block(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

    /// A port at which connections are made and nobody says anything.
    public struct MuteListener: Sendable {
        fileprivate let descriptor: Int32
        public let port: Int

        public func close() { Glibc.close(descriptor) }
    }

    public static func listen() throws -> MuteListener {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && Glibc.listen(descriptor, 8) == 0
                    ? getsockname(descriptor, pointer, &size) : -1
            }
        }
        guard status == 0 else { throw Failure(description: "no port to listen on") }
        return MuteListener(descriptor: descriptor, port: Int(UInt16(bigEndian: address.sin_port)))
    }
}
