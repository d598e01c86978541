import NIOConcurrencyHelpers
import TestKit

/// Control ports of mock-sportmonks and apns-simulator in one: answers as they do, and notes what it was told.
final class StandIns: Sendable {
    struct Tape: Sendable {
        var cursor = 12
        var isPlaying = true
        var label: String { "S1 12.3 \(cursor)/6" }
    }

    private let told: NIOLockedValueBox<[String]>
    private let server: StubHTTPServer

    var url: String { server.url }

    /// What it was asked to do: "POST /faults {…}".
    var calls: [String] { told.withLockedValue { $0 } }

    init(isTapeLoaded: Bool) throws {
        let tape = NIOLockedValueBox(Tape())
        let told = NIOLockedValueBox<[String]>([])
        self.told = told
        server = try StubHTTPServer { request in
            let call = "\(request.method) \(request.target)"
            if request.method != "GET" {
                told.withLockedValue { $0.append("\(call) \(String(decoding: request.body, as: UTF8.self))") }
            }
            func position() -> String {
                tape.withLockedValue {
                    #"{"matchId":"7","tapeId":"7","title":"MI v CSK, 2026","variant":"clean","seed":0,"cursor":\#($0.cursor),"#
                        + #""frames":20,"label":"\#($0.label)","playing":\#($0.isPlaying),"speed":40,"isLast":false,"#
                        + #""shownAt":1000}"#
                }
            }
            switch call {
            case "GET /control/matches": return .init(body: isTapeLoaded ? "[\(position())]" : "[]")
            case "GET /control/matches/7/labels":
                return .init(
                    body: #"["NS","S1 0.1 0/0","S1 0.6 4/1","S1 1.1 4/1","Innings Break","S2 0.1 0/1","S2 0.2 0/1"]"#)
            case "GET /control/tapes": return .init(body: #"[{"tapeId":"7","title":"MI v CSK, 2026"}]"#)
            case "GET /control/faults", "GET /faults": return .init(body: "[]")
            case "POST /control/matches/7/play": tape.withLockedValue { $0.isPlaying = true }
            case "POST /control/matches/7/pause": tape.withLockedValue { $0.isPlaying = false }
            case "POST /control/matches/7/step": tape.withLockedValue { $0.cursor += 1 }
            case "POST /control/matches/7/seek", "POST /control/matches/7/speed", "POST /control/matches/7/stop",
                "POST /control/tapes/7/load":
                break
            case "POST /control/faults", "POST /faults": return .init(status: 201, body: "{}")
            case "DELETE /control/faults", "DELETE /faults": return .init(status: 204)
            case "POST /control/matches/8/play": return .init(status: 503, body: "no")
            default:
                return .init(
                    status: 404, headers: ["content-type: application/problem+json"],
                    body: #"{"detail":"that match is not loaded"}"#)
            }
            return .init(body: position())
        }
    }

    func stop() { server.stop() }
}
