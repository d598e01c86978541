/// The short forms of team names, "MI" or "PAK", which Cricsheet does not have.
enum TeamCodes {
    /// The code of a known team from the table, otherwise the initials of the name's words, at most four.
    static func code(of name: String) -> String {
        if let known = known[name] { return known }
        let words = name.split(separator: " ").filter { $0.first?.isLetter == true }
        if words.count == 1, let word = words.first { return word.prefix(3).uppercased() }
        return String(words.prefix(4).compactMap(\.first)).uppercased()
    }

    private static let known: [String: String] = [
        // Indian Premier League, former sides included.
        "Chennai Super Kings": "CSK", "Deccan Chargers": "DC", "Delhi Capitals": "DC", "Delhi Daredevils": "DD",
        "Gujarat Lions": "GL", "Gujarat Titans": "GT", "Kings XI Punjab": "KXIP", "Kochi Tuskers Kerala": "KTK",
        "Kolkata Knight Riders": "KKR", "Lucknow Super Giants": "LSG", "Mumbai Indians": "MI", "Pune Warriors": "PWI",
        "Punjab Kings": "PBKS", "Rajasthan Royals": "RR", "Rising Pune Supergiant": "RPS",
        "Rising Pune Supergiants": "RPS", "Royal Challengers Bangalore": "RCB", "Royal Challengers Bengaluru": "RCB",
        "Sunrisers Hyderabad": "SRH",
        // Big Bash League.
        "Adelaide Strikers": "STR", "Brisbane Heat": "HEA", "Hobart Hurricanes": "HUR", "Melbourne Renegades": "REN",
        "Melbourne Stars": "STA", "Perth Scorchers": "SCO", "Sydney Sixers": "SIX", "Sydney Thunder": "THU",
        // Countries.
        "Afghanistan": "AFG", "Australia": "AUS", "Bangladesh": "BGD", "Canada": "CAN", "England": "ENG",
        "Hong Kong": "HK", "India": "IND", "Ireland": "IRE", "Kenya": "KEN", "Namibia": "NAM", "Nepal": "NEP",
        "Netherlands": "NED", "New Zealand": "NZ", "Oman": "OMA", "Pakistan": "PAK", "Papua New Guinea": "PNG",
        "Scotland": "SCO", "South Africa": "SA", "Sri Lanka": "SL", "Uganda": "UGA", "United Arab Emirates": "UAE",
        "United States of America": "USA", "West Indies": "WI", "Zimbabwe": "ZIM",
    ]
}
