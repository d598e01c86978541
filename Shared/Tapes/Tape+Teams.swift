extension Tape {
    /// The id of the batting side, by the index of the innings.
    func battingTeamID(_ innings: Int) -> Int64 { TapeIDs.team(match.innings[innings].team) }

    func bowlingTeamID(_ innings: Int) -> Int64 {
        battingTeamID(innings) == homeTeamID ? awayTeamID : homeTeamID
    }

    /// The provider's JSON object of a team.
    func json(team name: String) -> [UInt8] {
        let id = TapeIDs.team(name)
        var json = JSONBytes()
        json.object {
            $0.field("resource", "teams")
            $0.field("id", id)
            $0.field("name", name)
            $0.field("code", TeamCodes.code(of: name))
            // The provider spreads its images over 32 folders.
            $0.field("image_path", "https://cdn.sportmonks.com/images/cricket/teams/\(id % 32)/\(id).png")
            $0.field("country_id", TapeRenderer.worldCountryID)
            $0.field("national_team", match.info.team_type == "international")
            $0.field("updated_at", TapeRenderer.referenceDate)
        }
        return json.bytes
    }
}
