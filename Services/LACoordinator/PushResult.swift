import APNsProtocol

/// What became of one push.
enum PushResult: Sendable {
    case answered(APNsAnswer)
    /// Certainly never processed.
    case refused
    /// Its gate was closed when its turn came.
    case withdrawn
    /// The operator holds it: it did not leave.
    case braked
    /// Nobody knows.
    case unknown
    /// Nothing is sent to that host for now.
    case held
}

/// `kind` of `sightscreen_pushes_total`.
enum PushKind: String, Sendable { case start, update, end, silent, visible }
