import CLinux

/// The build id of this program: what its linker was told to write into it.
public enum BuildID {
    /// The id's bytes, 64 at most; none where the program has none.
    public static func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = clinux_build_id(&bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(count)))
    }
}
