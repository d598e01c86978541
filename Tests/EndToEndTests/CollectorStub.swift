import FoundationEssentials
import Synchronization
import TestKit

/// An OTLP collector on a free port that keeps every span it is sent.
final class CollectorStub: Sendable {
    struct Span: Sendable {
        var service: String
        var instance: String
        var name: String
        var trace: String
        var id: String
        var parent: String?
        var kind: Int
        var begunAt: Int64
        var endedAt: Int64
        var attributes: [String: String]
    }

    private final class Received: Sendable {
        let spans = Mutex<[Span]>([])
    }

    private let server: StubHTTPServer
    private let received: Received

    var spans: [Span] { received.spans.withLock { $0 } }
    var url: String { server.url }

    init() throws {
        let received = Received()
        self.received = received
        server = try StubHTTPServer { request in
            guard request.method == "POST", request.target == "/v1/traces",
                let spans = try? Self.spans(request.body)
            else { return .init(status: 400) }
            received.spans.withLock { $0 += spans }
            return .init(body: "{}")
        }
    }

    func stop() { server.stop() }

    private static func spans(_ body: [UInt8]) throws -> [Span] {
        try JSONDecoder().decode(Request.self, from: Data(body)).resourceSpans.flatMap { group in
            let resource = values(group.resource.attributes)
            return group.scopeSpans.flatMap(\.spans).compactMap { span -> Span? in
                guard let begunAt = Int64(span.startTimeUnixNano), let endedAt = Int64(span.endTimeUnixNano) else {
                    return nil
                }
                return Span(
                    service: resource["service.name"] ?? "", instance: resource["service.instance.id"] ?? "",
                    name: span.name, trace: span.traceId, id: span.spanId, parent: span.parentSpanId, kind: span.kind,
                    begunAt: begunAt, endedAt: endedAt, attributes: values(span.attributes))
            }
        }
    }

    private static func values(_ attributes: [Attribute]) -> [String: String] {
        Dictionary(
            attributes.map { ($0.key, $0.value.stringValue ?? $0.value.intValue ?? "\($0.value.boolValue ?? false)") }
        ) { first, _ in first }
    }

    private struct Request: Decodable {
        struct Group: Decodable {
            struct Resource: Decodable {
                var attributes: [Attribute]
            }

            struct Scope: Decodable {
                var spans: [Sent]
            }

            var resource: Resource
            var scopeSpans: [Scope]
        }

        var resourceSpans: [Group]
    }

    private struct Sent: Decodable {
        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
    }

    private struct Attribute: Decodable {
        struct Value: Decodable {
            var stringValue: String?
            var intValue: String?
            var boolValue: Bool?
        }

        var key: String
        var value: Value
    }
}
