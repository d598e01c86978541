import Glibc

/// The heap of this process, by what the allocator says: what is in use grows at once, and shrinks when it is freed.
enum Heap {
    private typealias MallocInfo = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32

    static var bytesInUse: Int {
        var (text, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        guard let symbol = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &count) else { return 0 }
        _ = unsafeBitCast(symbol, to: MallocInfo.self)(0, stream)
        fclose(stream)
        defer { free(text) }
        guard let text else { return 0 }
        // The sums of all arenas come last.
        let lines = String(cString: text).split(separator: "\n")
        func size(_ start: String) -> Int {
            let parts = lines.last { $0.hasPrefix(start) }?.split(separator: "\"") ?? []
            return parts.last { Int($0) != nil }.flatMap { Int($0) } ?? 0
        }
        return size("<system type=\"current\"") + size("<total type=\"mmap\"") - size("<total type=\"fast\"")
            - size("<total type=\"rest\"")
    }
}
