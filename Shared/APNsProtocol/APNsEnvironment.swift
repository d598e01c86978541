public import SightscreenModels

extension APNsEnvironment {
    public var other: Self { self == .production ? .sandbox : .production }

    /// Apple's URL for pushes to this environment. Port 2197 works too, for networks that close 443.
    public var url: String {
        switch self {
        case .production: "https://api.push.apple.com:443"
        case .sandbox: "https://api.sandbox.push.apple.com:443"
        }
    }

    /// Apple's URL for managing the channels of this environment.
    public var channelsURL: String {
        switch self {
        case .production: "https://api-manage-broadcast.push.apple.com:2196"
        case .sandbox: "https://api-manage-broadcast.sandbox.push.apple.com:2195"
        }
    }

    /// The suffix of Apple's host names; a host without it is a stand-in.
    public static let hostSuffix = "push.apple.com"

    public static func isApples(host: String) -> Bool {
        let host = host.lowercased()
        return host == hostSuffix || host.hasSuffix(".\(hostSuffix)")
    }
}
