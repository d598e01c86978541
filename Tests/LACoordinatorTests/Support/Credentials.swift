import FoundationEssentials
import Glibc
import TestKit
import Tokens

/// A provider key and a certificate for 127.0.0.1, in a folder that goes with it.
final class Credentials: Sendable {
    struct NoCertificate: Error {}

    let folder: TemporaryDirectory
    var keyFile: String { folder.appending("key.p8") }
    var certificateFile: String { folder.appending("cert.pem") }
    var certificateKeyFile: String { folder.appending("cert.key") }

    init() throws {
        folder = try TemporaryDirectory(prefix: "ss-la")
        try Data(try ES256Signer.generatePEM().utf8).write(to: URL(filePath: keyFile))
        chmod(keyFile, 0o600)
        let arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=stub", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", certificateKeyFile, "-out",
            certificateFile,
        ]
        var native = arguments.map { strdup($0) } + [nil]
        defer { native.forEach { free($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var pid: pid_t = 0
        var status: Int32 = -1
        guard posix_spawnp(&pid, "openssl", &actions, nil, &native, environ) == 0, waitpid(pid, &status, 0) == pid,
            status == 0
        else { throw NoCertificate() }
    }

    deinit { folder.remove() }
}

extension String {
    /// Writes it to a file that only we can read.
    func write(to path: String) throws {
        try Data(utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
    }
}
