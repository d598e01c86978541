import FoundationEssentials
import TestKit
import Tokens

/// A signing key and a TLS certificate for one test, in a folder that goes with it.
final class Credentials: Sendable {
    static let keyID = "KEYID00001"
    static let teamID = "TEAMID0001"
    static let bundleID = "dev.sightscreen.app"

    let folder: String
    let signer: ES256Signer
    var certificateFile: String { "\(folder)/cert.pem" }
    var keyFile: String { "\(folder)/key.pem" }

    init() async throws {
        folder = "/tmp/apns-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        signer = try ES256Signer(pem: try ES256Signer.generatePEM())
        try await Tool.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days",
                "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                "\(folder)/key.pem", "-out", "\(folder)/cert.pem",
            ], in: folder)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// An `authorization` header as good as any other, unless it is asked not to be.
    func bearer(age: Int = 0, keyID: String = Credentials.keyID, teamID: String = Credentials.teamID) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        return "bearer " + (try ProviderToken.make(keyID: keyID, teamID: teamID, issuedAt: now - age, signer: signer))
    }
}
