/// The short codes of countries for which the provider's code differs from the one that the ICC and every fan use.
enum CountryCode {
    /// The country and its code on scorecards, by the provider's code.
    private static let written: [String: (country: String, code: String)] = [
        "BGD": ("Bangladesh", "BAN"), "NLD": ("Netherlands", "NED"), "NZL": ("New Zealand", "NZ"),
        "ZAF": ("South Africa", "SA"), "RSA": ("South Africa", "SA"), "LKA": ("Sri Lanka", "SL"),
        "ARE": ("United Arab Emirates", "UAE"), "WIN": ("West Indies", "WI"), "ZWE": ("Zimbabwe", "ZIM"),
        "IRL": ("Ireland", "IRE"), "HKG": ("Hong Kong", "HK"), "OMN": ("Oman", "OMA"),
    ]

    /// The code on scorecards: "BAN" for "BGD" of "Bangladesh" and its other sides ("Bangladesh Women"); any other
    /// team's code as it is.
    static func code(_ code: String?, of name: String?) -> String? {
        guard let code, let name, let known = written[code.uppercased()], name.hasPrefix(known.country) else {
            return code
        }
        return known.code
    }
}
