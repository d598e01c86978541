import SightscreenModels
import TestKit
import Testing

/// What the collector was sent of a match that was played to some phones.
struct TraceCheck {
    let spans: [CollectorStub.Span]
    let match: MatchID

    /// Waits for the spans of the last version, which come a second later at most.
    static func wait(for collector: CollectorStub, _ match: MatchID, last version: Int) async throws -> TraceCheck {
        try await eventually("the collector has version \(version)") {
            collector.spans.contains { $0.name == "fan-out" && $0.attributes["match.version"] == "\(version)" }
        }
        return TraceCheck(spans: collector.spans, match: match)
    }

    private func named(_ name: String, in trace: String? = nil) -> [CollectorStub.Span] {
        spans.filter {
            $0.name == name && (trace == nil || $0.trace == trace)
                && ($0.attributes["match.id"] ?? "\(match)") == "\(match)"
        }
    }

    /// From the provider's frame to the last phone: one line of spans, each in another process.
    /// - Parameter written: when each version was, by PostgreSQL's clock, in nanoseconds.
    func checkWickets(phones: Int, written: [String: Int64]) throws {
        let wickets = named("evaluate").filter { $0.attributes["alert"] == "wicket" }
        #expect(wickets.count >= 5, "a T20 has wickets")
        var reached = 0
        for judge in wickets {
            let (polls, offers) = (named("poll", in: judge.trace), named("offer", in: judge.trace))
            try #require(polls.count == 1 && offers.count == 1, "\(polls) \(offers)")
            let (poll, offer) = (polls[0], offers[0])
            let fanOuts = named("fan-out", in: judge.trace)
            try #require(fanOuts.count == 1, "\(fanOuts)")
            let fanOut = fanOuts[0]
            #expect(poll.parent == nil)
            #expect(offer.parent == poll.id)
            #expect(judge.parent == offer.id)
            #expect(fanOut.parent == judge.id)
            let line = [poll, offer, judge, fanOut]
            #expect(line.map(\.service) == ["score-poller", "score-poller", "event-bus", "la-coordinator"])
            #expect(line.map(\.instance) == line.map(\.service), "the suite names instances after their services")
            #expect(line.map(\.kind) == [3, 3, 2, 5])
            #expect(zip(line, line.dropFirst()).allSatisfy { $0.begunAt <= $1.begunAt }, "\(line)")
            #expect(line.allSatisfy { $0.begunAt <= $0.endedAt })
            #expect(poll.endedAt <= offer.begunAt, "an answer is offered when it is there")
            // PostgreSQL tells the coordinator of the commit, perhaps before the bus has heard of it.
            let writtenAt = try #require(written[judge.attributes["match.version"] ?? ""])
            #expect(judge.begunAt <= writtenAt && writtenAt <= judge.endedAt, "a version is written while it is judged")
            #expect(writtenAt <= fanOut.begunAt, "a version goes out when it is written")
            #expect(judge.endedAt <= offer.endedAt, "the answer is given after the commit")
            #expect(offer.attributes["frame.outcome"] == "committed")
            #expect(fanOut.attributes["match.version"] == judge.attributes["match.version"])
            if fanOut.attributes["fanout.alerted"] == "\(phones)", fanOut.attributes["fanout.phones"] == "\(phones)" {
                #expect(fanOut.endedAt > fanOut.begunAt)
                #expect(fanOut.attributes["fanout.first_ms"] != nil)
                reached += 1
            }
        }
        #expect(reached == wickets.count, "each phone was told of each wicket by the version's own fan-out")
    }

    /// Only polls that led to something are there, with all that they led to.
    func checkWholeness() {
        let traces = Set(named("evaluate").map(\.trace))
        let polls = named("poll")
        #expect(!polls.isEmpty)
        #expect(polls.allSatisfy { traces.contains($0.trace) }, "what came to nothing is not shown")
        let ids = Set(spans.map { "\($0.trace) \($0.id)" })
        #expect(ids.count == spans.count, "no span is sent twice")
        let orphans = spans.filter { span in span.parent.map { !ids.contains("\(span.trace) \($0)") } ?? false }
        #expect(orphans.isEmpty, "\(orphans)")
    }

    /// Calls of the API by route: no user, no device, no token.
    func checkRequests(secrets: [String]) {
        let requests = spans.filter { $0.service == "api-gateway" }
        #expect(requests.contains { $0.name == "request" && $0.attributes["http.route"] == "/user/follow/match" })
        for value in spans.flatMap({ Array($0.attributes.values) }) {
            #expect(!secrets.contains { value.contains($0) }, "\(value)")
        }
    }
}
