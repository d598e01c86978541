public import SightscreenModels

extension APNsEnvironment {
    public var other: Self { self == .production ? .sandbox : .production }

    /// Where Apple takes pushes for it. Port 2197 serves too, for networks that close 443.
    public var url: String {
        switch self {
        case .production: "https://api.push.apple.com:443"
        case .sandbox: "https://api.sandbox.push.apple.com:443"
        }
    }

    /// Apple's host names and those below them: any other one is a stand-in.
    public static let hostSuffix = "push.apple.com"

    public static func isApples(host: String) -> Bool {
        let host = host.lowercased()
        return host == hostSuffix || host.hasSuffix(".\(hostSuffix)")
    }
}
