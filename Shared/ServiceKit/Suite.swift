import Reactor

/// The facts that all executables of this repository share.
public enum Suite {
    /// The commit that this program was built from, in hex digits; `unknown` where the build did not say. The linker writes
    /// it into the executable (`deploy/commit`), so that it is the program's own and no module depends on it.
    public static let commit = commit(buildID: BuildID.read())

    /// The version that `--version` prints: the release, and the commit's beginning.
    public static let version = "0.1.0+\(commit.prefix(12))"

    /// A build id that is a commit says so in its first letters: by itself a linker writes a hash, which looks the same.
    static func commit(buildID: [UInt8]) -> String {
        let mark = Array("commit".utf8)
        guard buildID.starts(with: mark), buildID.count > mark.count else { return "unknown" }
        return buildID.dropFirst(mark.count).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
