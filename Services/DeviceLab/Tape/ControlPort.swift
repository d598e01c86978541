import FoundationEssentials
import HTTPClient

/// The control port of a stand-in.
struct ControlPort: Sendable {
    /// The stand-in did not do what it was asked to.
    struct Failure: Error, CustomStringConvertible {
        /// The answer's status; nil if there was no answer.
        var status: Int?
        var description: String
    }

    /// The name of its executable.
    let name: String
    let base: String
    let http: HTTPClient

    func get<Answer: Decodable>(_ path: String, as type: Answer.Type) async throws -> Answer {
        try decode(try await send("GET", path, nil))
    }

    func post<Answer: Decodable>(_ path: String, _ body: some Encodable, as type: Answer.Type) async throws -> Answer {
        try decode(try await send("POST", path, [UInt8](try JSONEncoder().encode(body))))
    }

    func post(_ path: String, _ body: some Encodable) async throws {
        _ = try await send("POST", path, [UInt8](try JSONEncoder().encode(body)))
    }

    func delete(_ path: String) async throws { _ = try await send("DELETE", path, nil) }

    private func send(_ method: String, _ path: String, _ body: [UInt8]?) async throws -> [UInt8] {
        let response: HTTPClientResponse
        do {
            response = try await http.send(
                HTTPClientRequest(
                    method: method, url: base + path, headers: [("content-type", "application/json")], body: body,
                    timeout: .seconds(10), bodyBytesMax: 8 << 20))
        } catch {
            throw Failure(status: nil, description: "\(name) does not answer: \(error)")
        }
        guard (200..<300).contains(response.status) else {
            struct Document: Decodable { var detail: String? }
            let detail = (try? JSONDecoder().decode(Document.self, from: Data(response.body)))?.detail
            throw Failure(status: response.status, description: detail ?? "\(name) answers \(response.status)")
        }
        return response.body
    }

    private func decode<Answer: Decodable>(_ bytes: [UInt8]) throws -> Answer {
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(bytes))
        } catch {
            throw Failure(status: nil, description: "\(name) answers what is not understood")
        }
    }
}
