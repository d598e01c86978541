import FoundationEssentials

/// Encodes spans as OTLP's `ExportTraceServiceRequest` in JSON: ids in hex, 64-bit numbers as strings.
enum OTLPTraces {
    /// The process that did the work.
    struct Resource: Sendable {
        var service: String
        var instance: String
        var version = Suite.version
    }

    static func encode(_ spans: [Span], of resource: Resource) throws -> [UInt8] {
        let request = Request(
            resourceSpans: [
                .init(
                    resource: .init(attributes: [
                        Attribute("service.name", .string(resource.service)),
                        Attribute("service.instance.id", .string(resource.instance)),
                        Attribute("service.version", .string(resource.version)),
                    ]),
                    scopeSpans: [
                        .init(
                            scope: .init(name: "sightscreen", version: resource.version),
                            spans: spans.map { .init($0) })
                    ])
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(request))
    }

    private struct Request: Encodable {
        var resourceSpans: [ResourceSpans]
    }

    private struct ResourceSpans: Encodable {
        struct Resource: Encodable {
            var attributes: [Attribute]
        }

        var resource: Resource
        var scopeSpans: [ScopeSpans]
    }

    private struct ScopeSpans: Encodable {
        struct Scope: Encodable {
            var name: String
            var version: String
        }

        var scope: Scope
        var spans: [EncodedSpan]
    }

    private struct EncodedSpan: Encodable {
        struct Status: Encodable {
            /// The status code; 2 means an error.
            var code: Int?
            var message: String?
        }

        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var status: Status

        init(_ span: Span) {
            traceId = span.context.traceID
            spanId = span.context.spanID
            parentSpanId = span.parentID
            name = span.name
            kind = span.kind.rawValue
            startTimeUnixNano = String(span.begunAt)
            endTimeUnixNano = String(span.endedAt ?? span.begunAt)
            attributes = span.attributes.sorted { $0.key < $1.key }.map { Attribute($0.key, $0.value) }
            status = Status(code: span.error == nil ? nil : 2, message: span.error)
        }
    }

    private struct Attribute: Encodable {
        struct Value: Encodable {
            var stringValue: String?
            var intValue: String?
            var boolValue: Bool?
        }

        var key: String
        var value: Value

        init(_ key: String, _ value: Span.Value) {
            self.key = key
            self.value =
                switch value {
                case .string(let text): Value(stringValue: text)
                case .int(let number): Value(intValue: String(number))
                case .bool(let flag): Value(boolValue: flag)
                }
        }
    }
}
