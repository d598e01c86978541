import FoundationEssentials
import Glibc
import Synchronization

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

    let port: Int
    private let listener: Int32
    private let received = Mutex<[Span]>([])

    var spans: [Span] { received.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw NoSocket() }
        port = Int(UInt16(bigEndian: address.sin_port))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<CollectorStub>.fromOpaque(raw).takeRetainedValue().serve()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    struct NoSocket: Error {}

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// One call after the other: exporters wait for their answers, and there are few of them.
    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            answer(connection)
            close(connection)
        }
        close(listener)
    }

    private func answer(_ connection: Int32) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let body = Self.body(of: request) {
                take(body)
                let answer = Array("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".utf8)
                _ = answer.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
                return
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            request += buffer[..<count]
        }
    }

    /// Nil while it is not whole.
    private static func body(of request: [UInt8]) -> [UInt8]? {
        guard let end = request.indices.first(where: { request[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
            return nil
        }
        let head = String(decoding: request[..<end], as: UTF8.self)
        guard head.hasPrefix("POST /v1/traces "),
            let line = head.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix("content-length:") }),
            let length = Int(line.split(separator: ":")[1].drop { $0 == " " })
        else { return nil }
        let body = request[(end + 4)...]
        return body.count >= length ? Array(body.prefix(length)) : nil
    }

    private func take(_ body: [UInt8]) {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(body)) else { return }
        let new = request.resourceSpans.flatMap { group in
            let resource = Self.values(group.resource.attributes)
            return group.scopeSpans.flatMap(\.spans).compactMap { span -> Span? in
                guard let begunAt = Int64(span.startTimeUnixNano), let endedAt = Int64(span.endTimeUnixNano) else {
                    return nil
                }
                return Span(
                    service: resource["service.name"] ?? "", instance: resource["service.instance.id"] ?? "",
                    name: span.name, trace: span.traceId, id: span.spanId, parent: span.parentSpanId, kind: span.kind,
                    begunAt: begunAt, endedAt: endedAt, attributes: Self.values(span.attributes))
            }
        }
        received.withLock { $0 += new }
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
                var spans: [Received]
            }

            var resource: Resource
            var scopeSpans: [Scope]
        }

        var resourceSpans: [Group]
    }

    private struct Received: Decodable {
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
