/// The rule for addresses of images, for the provider's and the app's: https, a host, no user name that hides another
/// host, and a bounded length.
public enum ImageAddress {
    /// The most bytes of an address.
    public static let lengthMax = 2_048

    public static func isGood(_ url: String) -> Bool {
        let scheme = "https://"
        guard url.utf8.count <= lengthMax, url.lowercased().hasPrefix(scheme),
            url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        let host = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return !host.isEmpty && !host.contains("@") && host.first != ":" && host.first != "."
    }
}
