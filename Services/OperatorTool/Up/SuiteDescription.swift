import FoundationEssentials

/// What a run consists of, where it is not one of each service and stand-in (`sightscreen up --suite`).
///
///     {"settings": {"LEASE_DURATION": "1s"}, "restarts": false, "instances": [{"name": "apns-simulator"}]}
///
/// Then each line on standard input starts another process, `{"start": {"name": "c2", "service": "la-coordinator"}}`, or
/// starts one again that has ended, `{"start": {"name": "postgres"}}`. What happens to the processes is told on standard
/// output (`SuiteEvent`). The run ends with its standard input.
struct SuiteDescription: Decodable, Sendable {
    /// One process.
    struct Instance: Decodable, Sendable {
        /// Its `INSTANCE`; its log is named after it.
        var name: String
        /// The service or stand-in that it is; that of its name if nil.
        var service: String?
        /// The path of another executable than the one beside this.
        var program: String?
        /// `$PORT` in them is the port of its health server, for a program that is none of ours.
        var arguments: [String]?
        /// What its command line begins with, such as the way into a network namespace.
        var prefix: [String]?
        /// On top of those that are its service's.
        var settings: [String: String]?
        /// Where it listens; 127.0.0.1 if nil.
        var address: String?

        init(name: String) { self.name = name }

        var kind: String { service ?? name }
    }

    /// A later line of standard input.
    struct Order: Decodable {
        var start: Instance

        init(line: String) throws {
            do { self = try JSONDecoder().decode(Order.self, from: Data(line.utf8)) } catch {
                throw UpError("--suite: \(line): \(error)")
            }
        }
    }

    /// Those that run from the beginning on; one of each if nil.
    var instances: [Instance]?
    /// Of every process.
    var settings: [String: String]?
    /// Of PostgreSQL, `name=value`.
    var postgres: [String]?
    /// Where the stand-ins listen and are found; 127.0.0.1 if nil.
    var address: String?
    /// Whether a process that dies is started again; it is if nil.
    var restarts: Bool?

    /// - Parameter lines: standard input, the first line of which is the description if `file` is `-`.
    static func read(_ file: String, lines: AsyncStream<String>) async throws -> SuiteDescription {
        guard let text = file == "-" ? await lines.first(where: { _ in true }) : TextFile.read(file) else {
            throw UpError("--suite: cannot read \(file)")
        }
        do { return try JSONDecoder().decode(SuiteDescription.self, from: Data(text.utf8)) } catch {
            throw UpError("--suite: \(error)")
        }
    }
}
