import COpenSSL
import CPostgres
import Glibc
import Metrics

/// Until when the certificates are valid by which a server has proven who it is, as gauges. A service that is connected
/// notices nothing of their end; its next connection is refused.
enum CertificateDates {
    /// Reads the chain of a connection that was just made, by OpenSSL's check of it, and keeps the earliest end of its
    /// two kinds: the server's own, and those of its authorities up to the one in `sslrootcert`. A connection whose chain
    /// was not checked has none.
    static func record(_ connection: OpaquePointer) {
        guard let ssl = PQsslStruct(connection, "OpenSSL"), let chain = SSL_get0_verified_chain(OpaquePointer(ssl))
        else { return }
        let ends = (0..<OPENSSL_sk_num(chain)).compactMap { index in
            OPENSSL_sk_value(chain, index).flatMap { end(of: OpaquePointer($0)) }
        }
        record(ends.first, of: "server")
        record(ends.dropFirst().min(), of: "authority")
    }

    private static func record(_ end: Int?, of kind: String) {
        guard let end else { return }
        Gauge(label: "sightscreen_database_certificate_end_seconds", dimensions: [("certificate", kind)]).record(end)
    }

    private static func end(of certificate: OpaquePointer) -> Int? {
        var time = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
        return timegm(&time)
    }
}
