import FoundationEssentials
import Processes
import Tokens

/// The demo's keys: an APNs signing key and a certificate for the APNs simulator, made where they are missing.
/// Production has its own; nothing here is ever used against Apple.
public struct DevelopmentSecrets: Sendable {
    public static let keyID = "DEMOKEY001"
    public static let teamID = "DEMOTEAM01"
    public static let bundleID = "com.sightscreen.ios"
    public static let clientID = "sightscreen-demo"
    public static let providerToken = "demo-provider-token"

    let folder: String

    /// The .p8 that la-coordinator signs with, and its public half for the simulator.
    var apnsKey: String { "\(folder)/apns.p8" }
    var apnsPublicKey: String { "\(folder)/apns-public.pem" }
    /// The simulator's TLS certificate, which is also the CA that la-coordinator trusts, and its key.
    var certificate: String { "\(folder)/apns-certificate.pem" }
    var certificateKey: String { "\(folder)/apns-certificate-key.pem" }
    /// The keys of the push tokens.
    var tokenKeys: String { "\(folder)/token-keys" }

    /// - Parameter hosts: the DNS names under which the simulator is reachable, besides localhost.
    func makeWhereMissing(hosts: [String] = [], with processes: ProcessTable) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files = FileManager.default
        if !files.fileExists(atPath: apnsKey) || !files.fileExists(atPath: apnsPublicKey) {
            let pem = try ES256Signer.generatePEM()
            try TextFile.write(try ES256Signer(pem: pem).publicKeyPEM, to: apnsPublicKey)
            try TextFile.write(pem, to: apnsKey)
        }
        if !files.fileExists(atPath: tokenKeys) { try TextFile.write(try TokenKeys.generate(), to: tokenKeys) }
        if !files.fileExists(atPath: certificate) || !files.fileExists(atPath: certificateKey) {
            try await makeCertificate(hosts: hosts, with: processes)
        }
    }

    private func makeCertificate(hosts: [String], with processes: ProcessTable) async throws {
        let names = (["DNS:localhost", "IP:127.0.0.1"] + hosts.map { "DNS:\($0)" }).joined(separator: ",")
        let log = "\(folder)/openssl.log"
        let status = try await processes.run(
            Command(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                    "30",
                    "-subj", "/CN=Sightscreen demo APNs", "-addext", "subjectAltName=\(names)", "-keyout",
                    certificateKey,
                    "-out", certificate,
                ],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], output: .file(log)))
        guard status.isSuccess else {
            throw UpError(
                "openssl could not make a certificate (\(status)): \(TextFile.lastLine(of: log) ?? "no message")")
        }
    }
}
