/// One call of the API: the exact method and path, who may use it, what it takes and answers, and what does it.
struct Route: Sendable {
    enum Access: Sendable, CaseIterable { case everybody, users, admins }

    let method: String
    /// "/matches/:id/follow"; a part that begins with a colon is a parameter.
    let path: String
    let access: Access
    let operation: Operation
    let handle: @Sendable (GatewayRequest) async throws -> Reply
    private let parts: [Substring]

    init(
        _ method: String, _ path: String, _ access: Access, _ operation: Operation,
        _ handle: @escaping @Sendable (GatewayRequest) async throws -> Reply
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.operation = operation
        self.handle = handle
        parts = Self.split(path)
    }

    static func split(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
    }

    /// The parameters, when the path is this route's. They are texts of the client's, still to be checked.
    func match(_ path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, text) in zip(parts, path) {
            if part.first == ":" {
                guard !text.isEmpty else { return nil }
                parameters[String(part.dropFirst())] = String(text)
            } else if part != text {
                return nil
            }
        }
        return parameters
    }
}
