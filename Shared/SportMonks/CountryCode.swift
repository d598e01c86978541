/// The short codes of countries that the provider writes otherwise than the ICC, and every fan, does.
enum CountryCode {
    /// By the provider's code: the country that has it, and what scorecards write.
    private static let written: [String: (country: String, code: String)] = [
        "BGD": ("Bangladesh", "BAN"), "NLD": ("Netherlands", "NED"), "NZL": ("New Zealand", "NZ"),
        "ZAF": ("South Africa", "SA"), "RSA": ("South Africa", "SA"), "LKA": ("Sri Lanka", "SL"),
        "ARE": ("United Arab Emirates", "UAE"), "WIN": ("West Indies", "WI"), "ZWE": ("Zimbabwe", "ZIM"),
        "IRL": ("Ireland", "IRE"), "HKG": ("Hong Kong", "HK"), "OMN": ("Oman", "OMA"),
    ]

    /// "BAN" for "BGD" of "Bangladesh" and its other sides ("Bangladesh Women"); any other team's code as it is.
    static func code(_ code: String?, of name: String?) -> String? {
        guard let code, let name, let known = written[code.uppercased()], name.hasPrefix(known.country) else {
            return code
        }
        return known.code
    }
}
