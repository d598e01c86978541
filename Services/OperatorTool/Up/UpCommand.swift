import ArgumentParser
import FoundationEssentials
import Processes

/// `sightscreen up`: runs the whole suite with its stand-ins on this machine, and plays a match on it.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract:
            "Runs everything on this machine with the stand-ins, and shows on a web page what iPhones show.",
        discussion: """
            State (a private PostgreSQL, keys, sockets, logs) lives in SIGHTSCREEN_STATE_DIR, by default a folder of your \
            own under /var/tmp. DATABASE_URL uses another PostgreSQL instead of the private one. Ctrl-C ends everything.
            """)

    @Option(help: "The match to play: the id of a tape.")
    var match: Int64 = 1_304_076

    @Option(help: "How many times faster than real; at 40, the default, a ball takes about a second.")
    var speed: Double?

    @Flag(help: "Send by broadcast channel, to which the phones' cards listen; at a speed of 8 at most.")
    var channels = false

    var pace: Double { speed ?? (channels ? Self.channelSpeedMax : 40) }
    /// Above it a ball comes sooner than a channel's next publish, which APNs bounds by real time.
    private static let channelSpeedMax = 8.0

    @OptionGroup var feed: FeedOptions

    @Option(help: "Port of the HTTP API.")
    var port: Int = 8080

    @Option(help: "Port of the web page; by default 8090, or any other when that is taken. 0 takes any.")
    var pagePort: Int?

    @Option(help: "How many simulated iPhones, up to 2000.")
    var phones = 200

    @Option(help: "The folder of the tapes (Cricsheet JSON).")
    var tapes: String = "Tests/Fixtures/matches"

    @Option(help: ArgumentHelp("Record a tape of every answer of the provider into this folder.", valueName: "folder"))
    var record: String?

    @Flag(help: "Keep the database of the run before.")
    var keep = false

    @Flag(help: "End with the match; the exit status is 0 when every Lock Screen was right.")
    var once = false

    @Flag(help: "Start the suite without phones and without playing; it runs until Ctrl-C.")
    var headless = false

    @Option(
        help: ArgumentHelp(
            """
            Which processes run, as JSON in this file, or on the first line of standard input (-). Further \
            lines start more; what happens to them is told on standard output. Ends with standard input.
            """, valueName: "file"))
    var suite: String?

    func validate() throws {
        guard pace >= 1, pace <= 1_000 else { throw ValidationError("--speed: \(pace) is not between 1 and 1000") }
        guard !channels || pace <= Self.channelSpeedMax else {
            throw ValidationError("--speed: with --channels at most \(Int(Self.channelSpeedMax))")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port: \(port) is not a port") }
        guard (0...65_535).contains(pagePort ?? 0) else {
            throw ValidationError("--page-port: \(pagePort ?? 0) is not a port")
        }
        guard (1...2_000).contains(phones) else {
            throw ValidationError("--phones: \(phones) is not between 1 and 2000")
        }
        guard !(once && headless) else { throw ValidationError("--once: a headless suite plays no match") }
        guard headless || FileManager.default.fileExists(atPath: "\(tapes)/\(match).json") else {
            throw ValidationError("--match: there is no tape \(match) in \(tapes); `sightscreen tape list` shows them")
        }
    }

    func run() async throws {
        let status: Int32
        do {
            status = try await UpRun(command: self, environment: ProcessInfo.processInfo.environment).run()
        } catch let error as UpError {
            Output.error("sightscreen up: \(error)")
            status = error.status
        } catch let error as ProcessError {
            Output.error("sightscreen up: \(error)")
            status = 1
        }
        throw ExitCode(status)
    }
}
