import FoundationEssentials

/// The processes of a run, where it is not one of each service and stand-in (`sightscreen up --suite`).
///
///     {"settings": {"LEASE_DURATION": "1s"}, "restarts": false, "instances": [{"name": "apns-simulator"}]}
///
/// Each further line on standard input starts another process, `{"start": {"name": "c2", "service": "la-coordinator"}}`,
/// or one that has ended, `{"start": {"name": "postgres"}}`. Starts and deaths are printed to standard output
/// (`SuiteEvent`). The run ends with its standard input.
struct SuiteDescription: Decodable, Sendable {
    /// One process.
    struct Instance: Decodable, Sendable {
        /// The process's `INSTANCE`, after which its log is named.
        var name: String
        /// The service or stand-in; nil: the name says it.
        var service: String?
        /// The path of another executable than the one beside this.
        var program: String?
        /// Arguments for a program that has no settings; `$PORT` is the port of its health server.
        var arguments: [String]?
        /// The beginning of the command line, such as the way into a network namespace.
        var prefix: [String]?
        /// Settings that go in front of those of its service.
        var settings: [String: String]?
        /// The address to listen on; nil: 127.0.0.1.
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

    /// The processes that run from the beginning; nil: one of each.
    var instances: [Instance]?
    /// Settings of every process.
    var settings: [String: String]?
    /// Settings of PostgreSQL, `name=value`.
    var postgres: [String]?
    /// The address of the stand-ins; nil: 127.0.0.1.
    var address: String?
    /// Whether a process that dies is started again; nil: yes.
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
