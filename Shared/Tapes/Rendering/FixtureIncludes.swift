/// The parts that a request asks to embed: `include=balls,batting.batsman`.
public struct FixtureIncludes: Sendable, Equatable {
    private let names: Set<String>

    public static let none = FixtureIncludes("")
    /// Everything that a fixture can embed at its own level.
    public static let all = FixtureIncludes(
        "balls,runs,bowling,batting,venue,stage,season,league,visitorteam,localteam,scoreboards,firstumpire,"
            + "secondumpire,tvumpire,referee,manofseries,manofmatch,tosswon,winnerteam,lineup")

    /// - Parameter list: the value of `include`, names between commas. A nested name brings its parent along.
    public init(_ list: String) {
        var names: Set<String> = []
        for item in list.split(separator: ",") {
            let path = item.split(separator: ".").map(String.init)
            if let parent = path.first { names.insert(parent) }
            if path.count > 1 { names.insert(path.prefix(2).joined(separator: ".")) }
        }
        self.names = names
    }

    func has(_ name: String) -> Bool { names.contains(name) }
}
