/// What all executables of this repository have in common.
public enum Suite {
    /// Printed by `--version`.
    public static let version = "0.1.0"
}
