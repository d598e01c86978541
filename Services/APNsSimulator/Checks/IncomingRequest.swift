import HTTP2

/// A request as it reaches the simulator, as text.
struct IncomingRequest: Hashable, Sendable {
    struct Field: Hashable, Sendable {
        /// The name, in lower case.
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    var method: String
    var path: String
    /// The header fields without pseudo-header fields.
    var fields: [Field]
    var body: [UInt8]

    init(method: String, path: String, fields: [Field], body: [UInt8]) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
    }

    init(_ arrival: HTTP2Arrival) {
        let request = arrival.request
        self.init(
            method: request.method, path: request.path, fields: request.headers.map { Field($0.name, $0.value) },
            body: request.body)
    }

    /// Returns the first value of a field.
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Whether a field that APNs reads was sent twice.
    var hasDuplicates: Bool {
        var seen: Set<String> = []
        for field in fields where field.name.hasPrefix("apns-") || field.name == "authorization" {
            guard seen.insert(field.name).inserted else { return true }
        }
        return false
    }

    /// The fields `:path` and `apns-*` for the log.
    var logged: [String: String] {
        var logged = [":method": method, ":path": path]
        for field in fields where field.name.hasPrefix("apns-") { logged[field.name] = field.value }
        return logged
    }

    /// The token in the path, in lower case; nil when the path is not a push's, "" when it names no device.
    var token: String? {
        let prefix = "/3/device/"
        guard path.hasPrefix(prefix) else { return path == "/3/device" ? "" : nil }
        let token = path.dropFirst(prefix.count)
        return token.contains("/") ? nil : token.lowercased()
    }
}
