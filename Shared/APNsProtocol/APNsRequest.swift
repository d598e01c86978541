/// A request as it reaches APNs.
public struct APNsRequest: Hashable, Sendable {
    public struct Field: Hashable, Sendable {
        /// The name, in lower case.
        public var name: String
        public var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    public var path: String
    /// The header fields without pseudo-header fields.
    public var fields: [Field]
    public var body: [UInt8]

    package init(method: String, path: String, fields: [Field], body: [UInt8]) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
    }

    /// Returns the first value of a field.
    public func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The token in the path, in lower case; nil when the path is not a push's, "" when it names no device.
    public var token: String? {
        let prefix = "/3/device/"
        guard path.hasPrefix(prefix) else { return path == "/3/device" ? "" : nil }
        let token = path.dropFirst(prefix.count)
        return token.contains("/") ? nil : token.lowercased()
    }
}
