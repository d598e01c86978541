/// A setting is missing or malformed. `ServiceMain` prints the error as one line and ends with exit status 78.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The setting's name in the environment, or the flag as it was written.
    public var setting: String
    /// The fault and how to write the value, without the setting's name. It never contains a secret.
    public var problem: String

    package init(setting: String, problem: String) {
        self.setting = setting
        self.problem = problem
    }

    /// One line, whatever was in the environment.
    public var description: String { LogText.escapingControls("\(setting): \(problem)") }

    /// `EX_CONFIG` of sysexits.h.
    public static let exitStatus: Int32 = 78
}
