/// One call of the API: its exact method and path, who may use it, its description, and its handler.
final class Route: Sendable {
    enum Access: Sendable, CaseIterable { case everybody, users, admins }

    let method: String
    /// A path like "/matches/:id/follow"; a part that begins with a colon is a parameter.
    let path: String
    let access: Access
    let operation: Operation
    let handle: @Sendable (GatewayRequest) async throws -> Reply
    private let parts: [Part]

    private enum Part {
        case fixed(Substring)
        case parameter(String)
    }

    init(
        _ method: String, _ path: String, _ access: Access, _ operation: Operation,
        _ handle: @escaping @Sendable (GatewayRequest) async throws -> Reply
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.operation = operation
        self.handle = handle
        parts = Self.split(path).map { $0.first == ":" ? .parameter(String($0.dropFirst())) : .fixed($0) }
    }

    static func split(_ path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().map {
            Substring($0)
        }
    }

    /// Returns the parameters if the path is this route's. They are the client's own text and not checked yet.
    func match(_ path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, text) in zip(parts, path) {
            switch part {
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                parameters[name] = String(text)
            case .fixed(let fixed):
                guard fixed.utf8.elementsEqual(text.utf8) else { return nil }
            }
        }
        return parameters
    }
}
