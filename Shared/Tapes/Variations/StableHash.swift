/// Numbers for people and things that Cricsheet knows only by name. They are the same in every run, so that tapes are
/// reproducible.
enum StableHash {
    /// 32-bit FNV-1a of the name with the top bit cleared: 0 to 2³¹ − 1.
    static func of(_ name: String) -> Int64 {
        var hash: UInt32 = 0x811c_9dc5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int64(hash & 0x7fff_ffff)
    }
}
