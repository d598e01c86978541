import TestKit
import Testing

@testable import APIGateway

@Suite struct RequestScannerTests {
    /// What the scanner makes of bytes that come in pieces: the requests' facts, and why it stopped.
    private func scan(_ bytes: [UInt8], pieces: (Int) -> Int) -> (requests: [RequestFacts], refusal: Refusal?) {
        var requests: [RequestFacts] = []
        var received: [UInt8] = []
        var rest = bytes[...]
        var scanner = RequestScanner()
        while !rest.isEmpty {
            let count = min(rest.count, max(1, pieces(requests.count)))
            received += rest.prefix(count)
            rest = rest.dropFirst(count)
            reading: while !received.isEmpty {
                switch scanner.scan(received.span) {
                case .needsMore: break reading
                case .refused(let refusal): return (requests, refusal)
                case .complete(let length, let facts):
                    requests.append(facts)
                    if facts.isLast { return (requests, nil) }
                    received.removeFirst(length)
                    scanner = RequestScanner()
                }
            }
        }
        return (requests, nil)
    }

    @Test(arguments: RawRequest.all) func itRefusesWhatIsMalformedAndNothingElse(_ request: RawRequest) {
        let (requests, refusal) = scan(request.bytes) { _ in .max }
        #expect(refusal == request.refusal)
        #expect(requests.count == request.statuses.count - (request.refusal == nil ? 0 : 1))
    }

    @Test(arguments: RawRequest.all) func howABytesStreamIsCutMakesNoDifference(_ request: RawRequest) {
        let whole = scan(request.bytes) { _ in .max }
        for size in [1, 2, 3, 7] {
            let pieces = scan(request.bytes) { _ in size }
            #expect(pieces.refusal == whole.refusal, "in pieces of \(size)")
            #expect(pieces.requests == whole.requests, "in pieces of \(size)")
        }
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let pieces = scan(request.bytes) { _ in Int.random(in: 1...50, using: &random) }
        #expect(pieces.refusal == whole.refusal, "seed \(seed)")
        #expect(pieces.requests == whole.requests, "seed \(seed)")
    }

    @Test func itSaysWhatFollowsTheHead() {
        let facts = { (text: String) in scan(Array(text.utf8)) { _ in .max }.requests.first }
        #expect(facts(RawRequest.live) == RequestFacts())
        #expect(facts(RawRequest.post("Content-Length: 2", body: "{}"))?.body == .bytes(2))
        #expect(facts(RawRequest.chunked("2\r\n{}\r\n0\r\n\r\n"))?.body == .chunked)
        #expect(facts(RawRequest.get("/", "Connection: close"))?.isLast == true)
        #expect(facts(RawRequest.get("/", "Connection: closed"))?.isLast == false)
        #expect(facts(RawRequest.get("/", "Upgrade: h2c"))?.isLast == true)
        #expect(facts("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")?.isLast == true)
        let expecting = RawRequest.post("Content-Length: 2", "Expect: 100-Continue", body: "{}")
        #expect(facts(expecting)?.expectsContinue == true)
        #expect(facts(RawRequest.get("/", "Expect: 100-continue"))?.expectsContinue == false)
        #expect(facts("POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: x\r\n\r\n1")?.expectsContinue == false)
    }

    @Test func whatIsNoHTTPIsRefusedBeforeItsLineEnds() {
        for text in ["{", "GE(", "\u{16}", "\u{7f}", String(repeating: "x", count: 17), "a\n"] {
            #expect(scan(Array(text.utf8)) { _ in .max }.refusal != nil, "\(text)")
        }
        for text in ["G", "\r", "\r\n", "\r\n\r", "GET", "GET ", "GET /", "GET / HTTP/1.1\r"] {
            #expect(scan(Array(text.utf8)) { _ in .max }.refusal == nil, "\(text)")
        }
    }

    @Test(arguments: [2_047, 2_048, 2_049]) func theTargetIsBounded(_ count: Int) {
        let target = "/" + String(repeating: "a", count: count - 1)
        let refusal = scan(Array(RawRequest.get(target).utf8)) { _ in 1 }.refusal
        #expect(refusal == (count > GatewayLimits.addressBytesMax ? .targetTooLong : nil))
    }

    @Test(arguments: [16_383, 16_384, 16_385], [1, 100_000]) func theHeaderIsBounded(_ count: Int, _ piece: Int) {
        let text = RawRequest.get("/", "X: " + String(repeating: "a", count: count - "Host: a\r\nX: \r\n".utf8.count))
        let refusal = scan(Array(text.utf8)) { _ in piece }.refusal
        #expect(refusal == (count > GatewayLimits.headerBytesMax ? .headersTooLarge : nil))
    }

    @Test(arguments: [63, 64, 65]) func theFieldsAreCounted(_ count: Int) {
        let fields = (1..<count).map { "X\($0): y\r\n" }.joined()
        let refusal = scan(Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)) { _ in .max }.refusal
        #expect(refusal == (count > GatewayLimits.headerFieldsMax ? .headersTooLarge : nil))
    }

    @Test(arguments: [16_383, 16_384, 16_385]) func theBodyIsBounded(_ count: Int) {
        let body = String(repeating: "a", count: count)
        let expected: Refusal? = count > GatewayLimits.bodyBytesMax ? .bodyTooLarge : nil
        #expect(
            scan(Array(RawRequest.post("Content-Length: \(count)", body: body).utf8)) { _ in .max }.refusal == expected)
        let inOne = "\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
        #expect(scan(Array(RawRequest.chunked(inOne).utf8)) { _ in .max }.refusal == expected)
        let half = String(repeating: "a", count: 8_000)
        let inThree = "1f40\r\n\(half)\r\n1f40\r\n\(half)\r\n\(String(count - 16_000, radix: 16))\r\n"
        let refusal = scan(Array(RawRequest.chunked(inThree).utf8)) { _ in .max }.refusal
        #expect(refusal == expected, "it is refused as soon as its size is known")
    }

    @Test func hostileBytesNeverTrapIt() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            guard var bytes = RawRequest.all.randomElement(using: &random)?.bytes, bytes.count < 5_000 else { continue }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert([13, 10, 32, 58, 0, 59][Int.random(in: 0..<6, using: &random)], at: index)
                case 2 where bytes.count > 1: bytes.remove(at: index)
                default: bytes.append(contentsOf: bytes[index...])
                }
            }
            let whole = scan(bytes) { _ in .max }
            let pieces = scan(bytes) { _ in Int.random(in: 1...9, using: &random) }
            #expect(whole.requests == pieces.requests, "seed \(seed)")
            #expect((whole.refusal == nil) == (pieces.refusal == nil), "seed \(seed)")
        }
    }
}
