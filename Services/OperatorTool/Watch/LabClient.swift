import FoundationEssentials
import HTTPClient
import LabAPI

/// The calls of device-lab that a terminal makes.
struct LabClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
        var status: Int
    }

    let base: String
    let http: HTTPClient

    func lab() async throws -> LabState { try await get("/api/lab") }

    func phone(_ id: String) async throws -> LabPhoneState { try await get("/api/phones/\(id)") }

    func phones() async throws -> [LabPhoneSummary] { try await get("/api/phones") }

    private func get<Answer: Decodable>(_ path: String) async throws -> Answer {
        let answer = try await http.send(
            HTTPClientRequest(url: base + path, timeout: .seconds(5), bodyBytesMax: 8 << 20))
        guard answer.status == 200 else {
            throw Failure(description: "device-lab: \(path): \(answer.status)", status: Int(answer.status))
        }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body))
    }
}
