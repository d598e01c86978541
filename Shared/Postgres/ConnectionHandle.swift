import CPostgres

/// Owns a `PGconn`.
struct ConnectionHandle: ~Copyable {
    let raw: OpaquePointer
    deinit { PQfinish(raw) }
}
