import CPostgres
import Glibc

/// The options in a connection string, by libpq's keywords.
enum ConnectionOptions {
    /// Returns the options that the string itself has.
    /// - Throws: `PostgresError` if the string is not one of libpq's. libpq's own message may quote the string, and
    ///   with it a password, so it is not passed on.
    static func written(in url: String) throws -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            if let message { PQfreemem(message) }
            throw PostgresError(.configuration, "is not a PostgreSQL connection string")
        }
        defer { PQconninfoFree(options) }
        return values(options)
    }

    /// Returns the options that libpq would use: from the string, then its service file, the PG* variables and the
    /// defaults.
    ///
    /// Only libpq knows how it combines these, and it reports them only for a connection. So a connection is begun with
    /// a TLS version that does not exist, which libpq refuses before it looks up a host or opens a socket.
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
