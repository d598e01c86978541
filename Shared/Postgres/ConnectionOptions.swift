import CPostgres
import Glibc

/// libpq's options of a connection string, by keyword.
enum ConnectionOptions {
    /// What the string itself says.
    /// - Throws: `PostgresError` for a string that is not libpq's. libpq's own message may quote it, and with it a password,
    ///   so it is not passed on.
    static func written(in url: String) throws -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            if let message { PQfreemem(message) }
            throw PostgresError(.configuration, "is not a PostgreSQL connection string")
        }
        defer { PQconninfoFree(options) }
        return values(options)
    }

    /// What libpq would use: the string, then its service file, the PG* variables and the defaults.
    ///
    /// Only libpq knows how it puts these together, and tells it of a connection only. So one is begun with a TLS version that
    /// does not exist, which libpq refuses before it looks a host up or opens a socket.
    static func resolved(_ url: String) throws -> [String: String] {
        let (keyword, refused) = ("ssl_min_protocol_version", "none: options are only resolved")
        let raw = PostgresConnection.withCStrings(["dbname", keyword]) { keywords in
            PostgresConnection.withCStrings([url, refused]) { values in PQconnectStartParams(keywords, values, 1) }
        }
        guard let raw else { throw PostgresError(.configuration, "cannot be resolved: out of memory") }
        let handle = ConnectionHandle(raw: raw)
        guard let options = PQconninfo(handle.raw) else {
            throw PostgresError(.configuration, "cannot be resolved: out of memory")
        }
        defer { PQconninfoFree(options) }
        let values = values(options)
        guard values[keyword] == refused else {
            throw PostgresError(
                .configuration, "cannot be resolved: libpq refuses an option, a PG* variable or its service file")
        }
        return values
    }

    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return values
    }
}
