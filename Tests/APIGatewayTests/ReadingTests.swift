import SightscreenModels
import Testing

@testable import APIGateway

/// Texts of a request that are read by hand: dates, queries, versions, content types.
@Suite struct ReadingTests {
    @Test func momentsHaveAnOffset() {
        #expect(DateText.moment("1970-01-01T00:00:00Z") == 0)
        #expect(DateText.moment("2026-11-22T14:30:05+05:30") == 1_795_305_600 + 9 * 3_600 + 5)
        #expect(DateText.moment("2026-11-22t00:00:00.123456789-00:30") == 1_795_305_600 + 1_800)
        #expect(DateText.moment("2026-11-22T23:59:60Z") == 1_795_305_600 + 86_399)
        for text in [
            "2026-11-22T14:30:05", "2026-11-22T24:00:00Z", "2026-11-22T14:60:00Z", "2026-11-22 14:30:00Z",
            "2026-11-22T14:30:00.Z", "2026-11-22T14:30Z", "2026-11-22T14:30:00Z ", "2026-11-22T14:30:00+0530",
            "2026-11-22T14:30:00+24:00", "2026-02-30T14:30:00Z", "T", "",
        ] {
            #expect(DateText.moment(text) == nil, "\(text)")
        }
    }

    @Test func aQueryIsReadStrictly() throws {
        let parameters = MatchQuery.parameters
        #expect(try QueryString.read(nil, parameters) == [:])
        #expect(try QueryString.read("", parameters) == [:])
        #expect(
            try QueryString.read("league=5&&status=live,completed", parameters) == [
                "league": "5", "status": "live,completed",
            ])
        #expect(try QueryString.read("%6cimit=%31%30", parameters) == ["limit": "10"])
        for query in [
            "limit=0", "limit=", "limit", "limit=201", "limit=+5", "limit=1e1", "limit=99999999999999999999",
            "limit=5&limit=5",
            "colour=red",
            "league=05", "league=x", "league=%zz", "league=%f", "league=%", "league=%ff", "status=live,", "status=loud",
            "status=live,live,live,live", "date=2026-02-30", "cursor=1", "cursor=-", "from=yesterday", "%00=1",
        ] {
            #expect(throws: Problem.self, "\(query)") { try QueryString.read(query, parameters) }
        }
    }

    @Test func versionsAreComparedByTheirNumbers() {
        #expect(AppVersion("1.9") < AppVersion("1.10"))
        #expect(AppVersion("2") > AppVersion("1.99.99"))
        #expect(!(AppVersion("1.0") < AppVersion("1")) && !(AppVersion("1") < AppVersion("1.0.0")))
    }

    @Test func onlyJSONInUTF8IsTaken() {
        for good in [
            "application/json", "Application/JSON", "application/json; charset=utf-8",
            "application/json ;charset=UTF-8",
            "application/json; charset=\"utf-8\"", "application/json; profile=x",
        ] { #expect(GatewayRequest.isJSON(good), "\(good)") }
        for bad in [
            nil, "", "text/plain", "application/jsonp", "application/json-patch+json", "application/problem+json",
            "application/json; charset=utf-16", "application/json, text/plain", "multipart/form-data",
        ] { #expect(!GatewayRequest.isJSON(bad), "\(bad ?? "none")") }
    }
}
