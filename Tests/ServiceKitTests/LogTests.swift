import Glibc
import Logging
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

@Suite struct LogTests {
    private struct Failure: Error, CustomStringConvertible {
        var description: String
        var cause: (any Error)?
    }

    private func lines(_ format: LogFormat, _ level: Logger.Level = .info, _ body: (Logger) -> Void) -> [String] {
        let lines = Mutex<[String]>([])
        body(
            Logger(label: "score-poller") { label in
                var handler = ServiceLogHandler(label: label, level: level, format: format) { line in
                    lines.withLock { $0.append(line) }
                }
                handler.now = { 1_795_254_364_123 }
                return handler
            })
        return lines.withLock { $0 }
    }

    @Test func writesTextForPeople() {
        let written = lines(.text) { logger in
            logger.info("Match went live", metadata: ["match.id": "1304076", "home": "Mumbai \"MI\" Indians"])
            logger.debug("not shown")
            logger.warning("No data")
        }
        #expect(
            written == [
                #"2026-11-21T09:46:04.123Z info  score-poller  Match went live  home="Mumbai \"MI\" Indians" match.id=1304076"#,
                "2026-11-21T09:46:04.123Z warning score-poller  No data",
            ])
    }

    @Test func writesJSONAndKeepsEveryLineOneLine() {
        let written = lines(.json) { logger in
            logger.error("Bad\nframe", metadata: ["reason": "a\r\nb\u{1b}[31m \"q\" \\", "level": "mine"])
        }
        #expect(
            written == [
                #"{"time":"2026-11-21T09:46:04.123Z","level":"error","service":"score-poller","message":"Bad\nframe","#
                    + #""metadata.level":"mine","reason":"a\r\nb\u001b[31m \"q\" \\"}"#
            ])
        let text = lines(.text) { $0.info("x", metadata: ["a": "1\n2026-11-21T09:46:04.123Z error forged"]) }
        #expect(text.count == 1 && text[0].contains(#"a="1\n2026"#))
    }

    @Test func namesTheTraceOfTheTaskAndTheCausesOfAnError() throws {
        let trace = try #require(TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        let written = lines(.text) { logger in
            TraceContext.$current.withValue(trace) { logger.info("x") }
            logger.error("y", error: Failure(description: "renew lease", cause: Failure(description: "no connection")))
        }
        #expect(written[0].hasSuffix("x  trace.id=4bf92f3577b34da6a3ce929d0e0e4736"))
        #expect(written[1].hasSuffix(#"y  error="renew lease, because: no connection""#))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func writesTheTime(_ milliseconds: Int64, _ text: String) {
        #expect(LogText.timestamp(milliseconds: milliseconds) == text)
    }

    @Test func neverWaitsForAReaderAndCountsWhatItDrops() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let dropped = Mutex(0)
        let writer = LogWriter(descriptor: ends[1]) { count in dropped.withLock { $0 += count } }
        // Nobody reads: the pipe takes 64 KiB, the queue its lines, and the rest is dropped.
        let total = 3 * LogWriter.linesWaitingMax
        for number in 0..<total { writer.write("\(number) " + String(repeating: "x", count: 100)) }
        writer.flush(seconds: 0.05)
        let lost = dropped.withLock { $0 }
        #expect(lost > 0 && lost < total)
        // Somebody reads again: everything else arrives, in order, and then goes on.
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var text: [UInt8] = []
        func drain() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(ends[0], &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        }
        // Where lines were dropped, a line says how many; where that is depends on when the writer's thread ran.
        func lines() -> (whole: [Substring], dropped: Int) {
            let all = String(decoding: text, as: UTF8.self).split(separator: "\n")
            let notices = all.filter { $0.hasSuffix(" log lines were dropped here: nobody read them)") }
            let counts = notices.map { Int($0.dropFirst().prefix { $0 != " " }) ?? 0 }
            return (all.filter { !notices.contains($0) }, counts.reduce(0, +))
        }
        try await eventually("all lines have come") {
            drain()
            return text.last == UInt8(ascii: "\n") && lines().whole.count == total - lost
        }
        writer.write("after")
        try await eventually("it goes on") {
            drain()
            return String(decoding: text.suffix(6), as: UTF8.self) == "after\n"
        }
        let numbers = lines().whole.dropLast().map { Int($0.prefix { $0 != " " }) ?? -1 }
        #expect(numbers == numbers.sorted() && numbers.count == total - lost)
        #expect(lines().dropped == lost)
    }

    @Test func saysOnceUntilItChanges() {
        let once = OncePer<String>()
        #expect(once.hasChanged("refused", for: "a"))
        #expect(!once.hasChanged("refused", for: "a"))
        #expect(once.hasChanged("refused", for: "b"))
        #expect(once.hasChanged("timeout", for: "a"))
        #expect(once.clear("a") && !once.clear("a"))
        #expect(once.hasChanged("timeout", for: "a"))
    }
}
