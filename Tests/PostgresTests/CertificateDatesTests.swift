import Glibc
import Metrics
import Postgres
import Processes
import ServiceKit
import TestKit
import Testing

@Suite struct CertificateDatesTests {
    /// A server on TCP with a certificate of ten days, by an authority of forty.
    @Test func theEndOfEachCertificateIsTold() async throws {
        try await withTemporaryDirectory { folder in
            let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            for arguments in [
                ["req", "-x509"] + curve + ["-keyout", "ca.key", "-out", "ca.pem", "-days", "40", "-subj", "/CN=CA"],
                ["req"] + curve + ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=database"],
                [
                    "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                    "-out", "server.pem", "-days", "10", "-extfile", "names",
                ],
            ] {
                try Tool.write("subjectAltName=IP:127.41.0.1\n", to: folder.appending("names"))
                try await Tool.run(
                    ["openssl"] + arguments.map { $0.contains(".") || $0 == "names" ? folder.appending($0) : $0 },
                    in: folder.path)
            }
            // PostgreSQL does not run as root.
            if getuid() == 0, let user = getpwnam("postgres") {
                chmod(folder.path, 0o711)
                chown(folder.appending("server.key"), user.pointee.pw_uid, user.pointee.pw_gid)
            }
            let server = PrivatePostgres(settings: [
                "listen_addresses": "127.41.0.1", "ssl": "on", "ssl_cert_file": folder.appending("server.pem"),
                "ssl_key_file": folder.appending("server.key"),
            ])
            try await server.start()
            let registry = PrometheusRegistry()
            try await withMetricsFactory(registry) {
                let pool = try PostgresPool(
                    url: "postgresql://sightscreen@127.41.0.1/postgres?sslmode=verify-full"
                        + "&sslrootcert=\(folder.appending("ca.pem"))", applicationName: "tests")
                _ = try await pool.query("SELECT 1")
                await pool.close()
            }
            await server.stop()
            func days(_ certificate: String) -> Double? {
                let name = #"sightscreen_database_certificate_end_seconds{certificate="\#(certificate)"} "#
                let line = registry.text().split(separator: "\n").first { $0.hasPrefix(name) }
                return line.flatMap { Double($0.dropFirst(name.count)) }.map { ($0 - Double(time(nil))) / 86_400 }
            }
            #expect(try (9.9...10).contains(#require(days("server"))), "\(registry.text())")
            #expect(try (39.9...40).contains(#require(days("authority"))), "\(registry.text())")
        }
    }
}
