import Glibc

/// Metrics that every process has, read from /proc when `/metrics` is requested.
enum ProcessMetrics {
    static func text(isReady: Bool) -> String {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        let seconds = Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
        var text = """
            # HELP process_cpu_seconds_total Processor time used, of user and system.
            # TYPE process_cpu_seconds_total counter
            process_cpu_seconds_total \(seconds)
            # HELP sightscreen_ready 1 while /health/ready answers 200.
            # TYPE sightscreen_ready gauge
            sightscreen_ready \(isReady ? 1 : 0)
            # HELP sightscreen_build_info 1; the label names the commit that the process was built from.
            # TYPE sightscreen_build_info gauge
            sightscreen_build_info{commit="\(Suite.commit)"} 1

            """
        if let startedAt {
            text += """
                # HELP process_start_time_seconds When the process began, in seconds since 1970.
                # TYPE process_start_time_seconds gauge
                process_start_time_seconds \(startedAt)

                """
        }
        var files = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 {
            text += """
                # HELP process_max_fds Files and sockets that the process may have open.
                # TYPE process_max_fds gauge
                process_max_fds \(files.rlim_cur)

                """
        }
        if let pages = residentPages() {
            text += """
                # HELP process_resident_memory_bytes Memory in use that is not swapped out.
                # TYPE process_resident_memory_bytes gauge
                process_resident_memory_bytes \(pages * Int(sysconf(Int32(_SC_PAGESIZE))))

                """
        }
        if let open = openDescriptors() {
            text += """
                # HELP process_open_fds Files and sockets that the process has open.
                # TYPE process_open_fds gauge
                process_open_fds \(open)

                """
        }
        return text
    }

    /// The start in seconds since 1970. It is read once, because a clock that is set must not look like a restart.
    private static let startedAt: Double? = {
        guard let file = fopen("/proc/self/stat", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The name in parentheses may hold any character; the start time is the 20th word after the last parenthesis.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let words = text[text.index(after: name)...].split(separator: " ")
        guard words.count > 19, let ticks = Double(words[19]) else { return nil }
        var (now, up) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &up)
        func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
        return seconds(now) - seconds(up) + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

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
        // The entries ".", ".." and the descriptor of the folder itself do not count.
        return count - 3
    }
}
