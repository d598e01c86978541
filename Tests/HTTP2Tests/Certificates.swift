import Glibc
import HTTP2
import TestKit

/// A folder with a test's own authority and certificates for `localhost` and 127.0.0.1, made by the `openssl` tool.
final class Certificates: Sendable {
    let folder: String
    var caFile: String { "\(folder)/ca.pem" }
    var certificateFile: String { "\(folder)/server.pem" }
    var keyFile: String { "\(folder)/server.key" }

    init(names: String = "DNS:localhost,IP:127.0.0.1") async throws {
        folder = "/tmp/h2t-\(UInt32.random(in: 0...UInt32.max))"
        mkdir(folder, 0o700)
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try await Tool.run(
            ["openssl", "req", "-x509"] + curve
                + ["-keyout", "\(folder)/ca.key", "-out", caFile, "-days", "2", "-subj", "/CN=Test authority"],
            in: folder)
        try Tool.write("subjectAltName=\(names)\n", to: "\(folder)/names")
        try await Tool.run(
            ["openssl", "req"] + curve
                + ["-keyout", keyFile, "-out", "\(folder)/server.csr", "-subj", "/CN=localhost"], in: folder)
        try await Tool.run(
            [
                "openssl", "x509", "-req", "-in", "\(folder)/server.csr", "-CA", caFile, "-CAkey", "\(folder)/ca.key",
                "-CAcreateserial", "-out", certificateFile, "-days", "2", "-extfile", "\(folder)/names",
            ], in: folder)
    }

    deinit {
        var names: [String] = []
        if let directory = opendir(folder) {
            while let entry = readdir(directory) {
                names.append(
                    withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                )
            }
            closedir(directory)
        }
        for name in names where name != "." && name != ".." { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    func server() throws -> TLSContext {
        try TLSConfiguration.server(certificateFile: certificateFile, keyFile: keyFile).makeContext()
    }

    func client() throws -> TLSContext { try TLSConfiguration.client(caFile: caFile).makeContext() }
}
