import ArgumentParser
import FoundationEssentials
import Glibc
import Processes
import Reactor
import ServiceKit

/// `sightscreen settings`: lists every setting of the five services, as the services themselves declare them.
struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Lists every setting of the services.",
        discussion: "The services are asked (SERVICE --settings): their executables have to be beside this one.")

    @Flag(help: "As the page deploy/docs/settings.md.")
    var markdown = false

    private static let services = ["api-gateway", "orchestrator", "score-poller", "event-bus", "la-coordinator"]

    func run() async throws {
        let reactor = Reactor(name: "processes")
        defer { reactor.stop() }
        let processes = ProcessTable(reactor: reactor)
        var rows: [Row] = []
        for service in Self.services {
            for setting in try await Self.declared(by: service, processes) {
                if let place = rows.firstIndex(where: { $0.setting.name == setting.name }) {
                    rows[place].services.append(service)
                    rows[place].defaults.append(setting.default)
                } else {
                    rows.append(Row(setting: setting, services: [service], defaults: [setting.default]))
                }
            }
        }
        Output.write(markdown ? Self.page(rows) : rows.map(\.text).joined())
    }

    private static func declared(by service: String, _ processes: ProcessTable) async throws -> [DeclaredSetting] {
        let program = "\(UpRun.ownFolder())/\(service)"
        guard access(program, X_OK) == 0 else { throw UpError("there is no \(program)") }
        let output = FileManager.default.temporaryDirectory.appending(path: "sightscreen-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let status = try await processes.run(Command(program, ["--settings"], output: .file(output)))
        guard status.isSuccess, let text = TextFile.read(output) else {
            throw UpError("\(program) --settings ended with \(status)")
        }
        return try JSONDecoder().decode([DeclaredSetting].self, from: Data(text.utf8))
    }

    private struct Row {
        var setting: DeclaredSetting
        /// Those that read it, and the default that each has.
        var services: [String]
        var defaults: [String?]

        var readers: String {
            services.count == SettingsCommand.services.count ? "all" : services.joined(separator: ", ")
        }

        /// The default as it would be written, or "required"; where they differ, with the service of each.
        private func fallback(required: String, quote: String) -> String {
            let texts = defaults.map { $0.map { $0.isEmpty ? "none" : quote + $0 + quote } ?? required }
            guard Set(texts).count > 1 else { return texts[0] }
            return zip(texts, services).map { "\($0) (\($1))" }.joined(separator: ", ")
        }

        var text: String {
            let range = setting.range.map { ", \($0)" } ?? ""
            let fallback = fallback(required: "required", quote: "")
            return "\(setting.name) (\(fallback)\(range); \(readers))\n    \(setting.help)\n"
        }

        var line: String {
            let name = "`\(setting.name)`" + (setting.isSecret ? " or `\(setting.name)_FILE`" : "")
            let fallback = fallback(required: "**required**", quote: "`")
            return "| \(name) | \(fallback) | \(setting.range ?? "") | \(readers) | \(setting.help) |\n"
        }
    }

    private static func page(_ rows: [Row]) -> String {
        """
        # Settings

        `sightscreen settings --markdown` prints this page from what the services declare; `deploy/test` compares the two.

        Settings are environment variables. A flag overrides the variable: `--poll-interval 2s` is `POLL_INTERVAL`. A secret can also be
        given as the path of a file, `NAME_FILE`. An empty value counts as not set. Durations are written like `5s`, `2.5s` or
        `7h45m`. A service that lacks a setting, or has a malformed one, ends at once with status 78 and one line that names it. So
        does one with a variable whose name is a setting's but for a letter or two (`PUSH_TREADS`), since it would do nothing; other
        variables are not looked at.

        **required** is what production needs. With `SIGHTSCREEN_STAND_INS=1` the `TOKEN_KEY_FILE` may be missing.

        | setting | default | range | read by | what it does |
        |---|---|---|---|---|

        """ + rows.map(\.line).joined()
    }
}
