/// The rule for addresses of images, for the provider's and the app's: https, the name of a host on the Internet, no user
/// name that hides another host, no port, and a bounded length.
public enum ImageAddress {
    /// The most bytes of an address.
    public static let lengthMax = 2_048
    /// The domains of names that lead to a machine of the network that a phone is in.
    private static let localDomains = ["local", "localhost", "internal", "lan", "home"]

    public static func isGood(_ url: String) -> Bool { host(of: url) != nil }

    /// Returns the host that the image comes from, in small letters; nil for an address that is not good. A host's
    /// address in place of a name is not: its last part would be a number.
    public static func host(of url: String) -> String? {
        let scheme = "https://"
        guard url.utf8.count <= lengthMax, url.lowercased().hasPrefix(scheme),
            url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let host = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let (letters, digits) = (UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"))
        guard labels.count > 1, let domain = labels.last, domain.first.map(letters.contains) == true,
            !localDomains.contains(where: { domain.elementsEqual($0.utf8) }),
            labels.allSatisfy({ label in
                (1...63).contains(label.count)
                    && label.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }
            })
        else { return nil }
        return host
    }
}
