import CPostgres

/// Owns a `PGconn` and frees it.
struct ConnectionHandle: ~Copyable {
    let raw: OpaquePointer
    deinit { PQfinish(raw) }
}
