/// A setting that is missing or malformed. `ServiceMain` prints it as one line and ends with exit status 78.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The setting's name in the environment, or the flag as it was written.
    public var setting: String
    /// What is wrong and how to write it, without the setting's name. Never contains a secret.
    public var problem: String

    public init(setting: String, problem: String) {
        self.setting = setting
        self.problem = problem
    }

    /// Always one line, whatever was in the environment.
    public var description: String { LogText.escapingControls("\(setting): \(problem)") }

    /// EX_CONFIG of sysexits.h.
    public static let exitStatus: Int32 = 78
}
