/// A program to start, with its arguments and surroundings.
public struct Command: Sendable {
    public enum Output: Sendable {
        case inherit
        case discard
        /// The output is appended to the file, which is created if it does not exist.
        case file(String)
    }

    /// A path with a slash, or a name that is looked up in PATH.
    public var program: String
    public var arguments: [String]
    /// The child's whole environment: nothing is inherited.
    public var environment: [String: String]
    public var directory: String?
    public var output: Output
    /// The user and group to run as; nil keeps ours. Another user needs root.
    public var user: (uid: Int32, gid: Int32)?
    /// The signal that the child gets when this process dies in any way; 0 for none.
    public var deathSignal: Int32

    package init(
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
    package init(_ description: String) { self.description = description }
}
