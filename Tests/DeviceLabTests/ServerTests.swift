import FoundationEssentials
import HTTPClient
import PretendPhones
import SightscreenModels
import TestKit
import Testing

@testable import DeviceLab

@Suite struct ServerTests {
    @Test func servesThePageUnderAStrictPolicy() async throws {
        try await RunningLab.with { lab async throws in
            let page = try await lab.get("/")
            #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
            let policy = try #require(page.header("content-security-policy"))
            #expect(policy.contains("default-src 'none'") && policy.contains("require-trusted-types-for 'script'"))
            #expect(!policy.contains("unsafe"))
            #expect(page.header("x-content-type-options") == "nosniff")
            // Everything that the page names is there, and nothing is fetched from elsewhere.
            var names: [String] = []
            for quote in page.text.split(separator: "\"") where quote.hasSuffix(".css") || quote.hasSuffix(".js") {
                names.append(String(quote))
            }
            #expect(names.count == 4)
            #expect(!page.text.contains("https://"))
            var seen: Set<String> = []
            while let name = names.popLast() {
                guard seen.insert(name).inserted else { continue }
                let file = try await lab.get("/\(name)")
                #expect(file.status == 200, "\(name)")
                for part in file.text.split(separator: "'") where part.hasPrefix("./") && part.hasSuffix(".js") {
                    names.append(String(part.dropFirst(2)))
                }
            }
            #expect(seen.count == LabPage.embedded.files.count - 1)
            let missing = try await lab.get("/nothing.js")
            #expect(missing.status == 404 && missing.header("content-security-policy") != nil)
            #expect(try await lab.get("/api/nothing").status == 404)
            #expect(try await lab.get("/../Package.swift").status == 404)
        }
    }

    /// What text is put in with; markup would be read.
    @Test func thePageKnowsNoWayToPutInMarkup() {
        for (name, file) in LabPage.embedded.files where name.hasSuffix(".js") {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc",
                "DOMParser", "createContextualFragment", "setHTML", "javascript:",
            ] {
                #expect(!text.contains(word), "\(name) has \(word)")
            }
        }
    }

    // MARK: - Other pages

    @Test(arguments: ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::2]", ""])
    func refusesAnotherHost(_ host: String) async throws {
        try await RunningLab.with { lab async throws in
            for path in ["/", "/api/lab", "/api/stream"] {
                let answer = try await lab.send("GET", path, headers: [("host", host)])
                #expect(answer.status == 421 || (host.isEmpty && answer.status == 400), "\(path): \(answer.status)")
            }
        }
    }

    @Test func knowsTheNamesThatItWasGiven() async throws {
        try await RunningLab.with(configure: { $0.names = ["Lab.Example"] }) { lab async throws in
            for host in ["lab.example", "LAB.example:8080", "localhost:1", "[::1]:8090", "127.0.0.1"] {
                #expect(try await lab.send("GET", "/", headers: [("host", host)]).status == 200, "\(host)")
            }
        }
    }

    @Test(arguments: [
        [("origin", "http://evil.example")], [("origin", "null")], [("origin", "http://127.0.0.1:1")],
        [("sec-fetch-site", "cross-site")], [("sec-fetch-site", "same-site")],
    ]) func refusesWhatAnotherPageSends(_ headers: [(String, String)]) async throws {
        try await RunningLab.with { lab async throws in
            for (path, body) in [
                ("/api/phones/phone-1/actions", #"{"action":"offline"}"#), ("/api/tape", #"{"command":"pause"}"#),
                ("/api/phones/actions", #"{"action":"offline"}"#), ("/api/streams/1", #"{"phone":"phone-1"}"#),
            ] {
                let answer = try await lab.send(
                    "POST", path, body, headers: headers + [("content-type", "application/json")])
                #expect(answer.status == 403 && answer.detail != nil, "\(path)")
            }
            #expect(try await lab.phone("phone-1").isOnline)
            #expect(lab.standIns.calls.isEmpty)
        }
    }

    @Test func refusesWhatAFormCouldSend() async throws {
        try await RunningLab.with { lab async throws in
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
                let answer = try await lab.send(
                    "POST", "/api/phones/phone-1/actions", #"{"action":"offline"}"#, headers: [("content-type", type)])
                #expect(answer.status == 415)
            }
            #expect(try await lab.phone("phone-1").isOnline)
        }
    }

    @Test func takesWhatItsOwnPageSends() async throws {
        try await RunningLab.with { lab async throws in
            let answer = try await lab.send(
                "POST", "/api/phones/phone-1/actions", #"{"action":"offline"}"#,
                headers: [
                    ("content-type", "application/json; charset=utf-8"), ("origin", "http://127.0.0.1:\(lab.port)"),
                    ("sec-fetch-site", "same-origin"),
                ])
            #expect(answer.status == 200)
            #expect(try await !lab.phone("phone-1").isOnline)
            // Another page may link to this one, and read nothing.
            #expect(try await lab.send("GET", "/", headers: [("sec-fetch-site", "cross-site")]).status == 200)
            #expect(try await lab.send("GET", "/api/lab", headers: [("sec-fetch-site", "cross-site")]).status == 403)
        }
    }

    // MARK: - Phones

    @Test func doesWhatAPersonWould() async throws {
        try await RunningLab.with { lab async throws in
            let followed = try await lab.act("phone-2", #"{"action":"follow"}"#)
            let state = try JSONDecoder().decode(LabPhoneState.self, from: Data(followed.body))
            #expect(state.activities.first?.matchId == RunningLab.match, "the match that plays is meant")
            #expect(state.followButtons == [LabFollowButton(matchId: RunningLab.match, state: .filled)])
            try await lab.act("phone-2", #"{"action":"denyPermission"}"#)
            let denied = try await lab.phone("phone-2")
            #expect(denied.activities.isEmpty && denied.followButtons.first?.state == .filledWithWarning)
            try await lab.act("phone-2", #"{"action":"switchUser","user":"ravi"}"#)
            #expect(try await lab.phone("phone-2").user == "ravi")
            let refused = try await lab.act("phone-1", #"{"action":"dismiss"}"#)
            #expect(refused.status == 409 && refused.detail == "there is no such Live Activity on it")
        }
    }

    @Test func asksAllPhones() async throws {
        try await RunningLab.with(phones: 70) { lab async throws in
            let answer = try await lab.send("POST", "/api/phones/actions", #"{"action":"follow","matchId":"7"}"#)
            #expect(answer.text == #"{"done":70,"refused":0}"#)
            try await eventually("all of them show it") { try await lab.state().phones.showing == 70 }
            let again = try await lab.send("POST", "/api/phones/actions", #"{"action":"dismiss","matchId":"8"}"#)
            #expect(again.text == #"{"done":0,"refused":70}"#)
        }
    }

    @Test(arguments: [
        ("", "the body is not JSON"), ("[]", "the body is not an object"), ("{}", "the body lacks action"),
        (#"{"action":"dance"}"#, #""dance" is none of follow, unfollow, dismiss"#),
        (#"{"action":7}"#, "action is not a text"), (#"{"action":"follow","matchId":"x"}"#, "matchId"),
        (#"{"action":"switchUser","user":""}"#, "a user's name has 1 to 64 letters"),
        (#"{"action":"switchUser","user":"a b"}"#, "a user's name has 1 to 64 letters"),
    ]) func saysWhatIsWrongWithAnAction(_ body: String, _ words: String) async throws {
        try await RunningLab.with { lab async throws in
            let answer = try await lab.act("phone-1", body)
            #expect(answer.status == 400)
            #expect(answer.detail?.contains(words) == true, "\(answer.detail ?? "")")
        }
    }

    @Test func knowsNoOtherPhone() async throws {
        try await RunningLab.with { lab async throws in
            #expect(try await lab.act("phone-9", #"{"action":"follow"}"#).status == 404)
            #expect(try await lab.get("/api/phones/phone-9").status == 404)
            #expect(try await lab.send("POST", "/api/streams/9", #"{"phone":"phone-1"}"#).status == 404)
            #expect(try await lab.send("POST", "/api/streams/x", #"{"phone":"phone-1"}"#).status == 404)
        }
    }

    @Test(arguments: [
        ("GET", "/api/nothing", 404), ("POST", "/api/nothing", 404), ("DELETE", "/api/tape", 405),
        ("PUT", "/api/phones/phone-1/actions", 405), ("OPTIONS", "/api/lab", 405), ("POST", "/", 405),
        ("GET", "/api/phones/actions", 405),
    ]) func tellsThatThereIsNoSuchCall(_ method: String, _ path: String, _ status: Int) async throws {
        try await RunningLab.with { lab async throws in
            let answer = try await lab.send(method, path)
            #expect(answer.status == status && answer.detail != nil, "\(answer.status) \(answer.text)")
            #expect((answer.header("allow") != nil) == (status == 405))
        }
    }

    @Test func tellsOfThePageWithoutItsText() async throws {
        try await RunningLab.with { lab async throws in
            for (path, status) in [("/", 200), ("/app.js", 200), ("/nothing.js", 404), ("/api/lab", 405)] {
                let answer = try await lab.send("HEAD", path, headers: [])
                #expect(answer.status == status && answer.body.isEmpty, "\(path)")
            }
        }
    }

    @Test(arguments: ["follow", "unfollow"]) func knowsNoOtherMatch(_ action: String) async throws {
        try await RunningLab.with { lab async throws in
            let body = #"{"action":"\#(action)","matchId":"424242"}"#
            let answer = try await lab.act("phone-1", body)
            #expect(answer.status == 404 && answer.detail == "there is no match 424242")
            #expect(try await lab.send("POST", "/api/phones/actions", body).status == 404)
            let listed = try await lab.phone("phone-1").followButtons.map(\.matchId)
            #expect(!listed.contains(MatchID(424_242)), "it leaves no row")
        }
    }

    @Test func takesNoEndlessBody() async throws {
        try await RunningLab.with { lab async throws in
            let body = #"{"action":"\#(String(repeating: "x", count: LabServer.bodyBytesMax))"}"#
            #expect(try await lab.act("phone-1", body).status == 413)
        }
    }

    @Test func needsATapeToFollow() async throws {
        try await RunningLab.with(isTapeLoaded: false) { lab async throws in
            let answer = try await lab.act("phone-1", #"{"action":"follow"}"#)
            #expect(answer.status == 409 && answer.detail == "no tape is loaded")
            #expect(try await lab.send("POST", "/api/tape", #"{"command":"play"}"#).status == 409)
        }
    }
}
