/// What rain left of a side's innings (`localteam_dl_data`, `visitorteam_dl_data`), as the provider says it.
public struct SlimRevision: Codable, Sendable, Equatable {
    /// `overs`, or `total_overs_played`: the overs of the innings, or those bowled when it was interrupted.
    public var overs: Double?
    /// `score`: what belongs to `overs`.
    public var score: Int?
    /// `rpc_overs`: the overs of the innings.
    public var revisedOvers: Double?
    /// `rpc_targets`: what the side has to make.
    public var target: Int?

    package init(overs: Double? = nil, score: Int? = nil, revisedOvers: Double? = nil, target: Int? = nil) {
        self.overs = overs
        self.score = score
        self.revisedOvers = revisedOvers
        self.target = target
    }

    /// Nil where the object says nothing, as in every match without rain.
    init?(_ row: JSONValue) {
        self.init(
            overs: row.double("overs") ?? row.double("total_overs_played"), score: row.count("score"),
            revisedOvers: row.double("rpc_overs"), target: row.count("rpc_targets") ?? row.count("rpc_target"))
        if self == SlimRevision() { return nil }
    }
}
