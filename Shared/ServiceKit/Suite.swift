/// The facts that all executables of this repository share.
public enum Suite {
    /// The version that `--version` prints.
    public static let version = "0.1.0"
}
