/// The rule for addresses of images: https, a host, and no user name that hides another host.
enum ImageAddress {
    static let lengthMax = 2_048

    static func isGood(_ url: String) -> Bool {
        let scheme = "https://"
        guard url.utf8.count <= lengthMax, url.lowercased().hasPrefix(scheme),
            url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        let host = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return !host.isEmpty && !host.contains("@") && host.first != ":" && host.first != "."
    }
}
