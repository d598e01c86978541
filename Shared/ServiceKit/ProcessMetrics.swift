import Glibc

/// What an operator asks about any process, read from /proc when `/metrics` is.
enum ProcessMetrics {
    static func text() -> String {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        let seconds = Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
        var text = "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total \(seconds)\n"
        if let pages = residentPages() {
            text += "# TYPE process_resident_memory_bytes gauge\n"
            text += "process_resident_memory_bytes \(pages * Int(sysconf(Int32(_SC_PAGESIZE))))\n"
        }
        if let open = openDescriptors() { text += "# TYPE process_open_fds gauge\nprocess_open_fds \(open)\n" }
        return text
    }

    private static func residentPages() -> Int? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        return words.count > 1 ? Int(words[1]) : nil
    }

    private static func openDescriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without ".", ".." and the folder itself.
        return count - 3
    }
}
