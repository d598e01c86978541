/// A program to start, and how.
public struct Command: Sendable {
    public enum Output: Sendable {
        case inherit
        case discard
        /// Appended to; made when it is not there.
        case file(String)
    }

    /// A path with a slash, or a name to be found in PATH.
    public var program: String
    public var arguments: [String]
    /// All of the child's environment: nothing is inherited.
    public var environment: [String: String]
    public var directory: String?
    public var output: Output
    /// Runs as this user and group; nil keeps ours. Needs root.
    public var user: (uid: Int32, gid: Int32)?
    /// What the child gets when this process dies, however it dies; 0 for nothing.
    public var deathSignal: Int32

    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil,
        output: Output = .inherit, user: (uid: Int32, gid: Int32)? = nil, deathSignal: Int32 = 9
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.output = output
        self.user = user
        self.deathSignal = deathSignal
    }
}

/// How a process ended.
public enum ExitStatus: Sendable, Equatable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    public var isSuccess: Bool { self == .exited(0) }

    public var description: String {
        switch self {
        case .exited(let code): "exit status \(code)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}

public struct ProcessError: Error, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
}
