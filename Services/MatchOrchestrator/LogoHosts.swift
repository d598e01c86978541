package import ServiceKit
import SightscreenModels

/// The hosts from which phones download teams' logos (`LOGO_HOSTS`). A logo enters where the schedule is synced, and goes
/// from there to the API and into starts: a provider that is taken over, or mistaken, sends phones nowhere else.
package struct LogoHosts: Sendable {
    static let setting = Setting(
        "LOGO_HOSTS", default: "cdn.sportmonks.com",
        help: "The hosts that teams' logos may come from, separated by commas; none: no logos.")

    private let names: Set<String>

    /// - Throws: `ConfigurationError` for what is not the name of a host on the Internet.
    package init(_ settings: Settings) throws(ConfigurationError) {
        let list = try settings.list(Self.setting.name)
        var names: Set<String> = []
        for text in list where list != ["none"] {
            guard let name = ImageAddress.host(of: "https://\(text)/"), name == text.lowercased() else {
                throw ConfigurationError(
                    setting: Self.setting.name, problem: "\"\(text)\" is not the name of a host on the Internet")
            }
            names.insert(name)
        }
        self.names = names
    }

    func admits(_ logo: String) -> Bool { ImageAddress.host(of: logo).map(names.contains) ?? false }
}
