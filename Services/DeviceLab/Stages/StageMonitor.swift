import FoundationEssentials
import HTTPClient

/// Polls the health and the counts of every process of the pipeline.
actor StageMonitor {
    private let addresses: StageAddresses
    private let apns: ControlPort
    private let http: HTTPClient
    private let started = ContinuousClock.now
    private var meter = RateMeter()

    init(addresses: StageAddresses, apns: ControlPort, http: HTTPClient) {
        self.addresses = addresses
        self.apns = apns
        self.http = http
    }

    /// All stages in the order in which a ball passes them.
    func look() async -> [LabStage] {
        async let pushes = pushes()
        let all = await withTaskGroup(of: (String, [Answer]).self) { group in
            for kind in StageKind.all {
                group.addTask { [addresses] in
                    (kind.name, await self.answers(of: addresses.addresses(of: kind.name)))
                }
            }
            var all: [String: [Answer]] = [:]
            for await (name, answers) in group { all[name] = answers }
            return all
        }
        let pushed = await pushes
        return StageKind.all.map { kind in
            stage(kind, all[kind.name] ?? [], extra: kind.name == "apns-simulator" ? pushed : [])
        }
    }

    private struct Answer: Sendable {
        var metrics: MetricsText
        /// The parts that the process waits for; empty when it is ready.
        var missing: [String]
    }

    private func answers(of bases: [String]) async -> [Answer] {
        await withTaskGroup(of: Answer?.self) { group in
            for base in bases { group.addTask { [http] in await Self.ask(base, http) } }
            var answers: [Answer] = []
            while let answer = await group.next() {
                if let answer { answers.append(answer) }
            }
            return answers
        }
    }

    @concurrent
    private static func ask(_ base: String, _ http: HTTPClient) async -> Answer? {
        guard
            let answer = try? await http.send(
                HTTPClientRequest(url: "\(base)/metrics", timeout: .seconds(2), bodyBytesMax: 4 << 20)),
            answer.status == 200
        else { return nil }
        let metrics = MetricsText(String(decoding: answer.body, as: UTF8.self))
        guard metrics.sum("sightscreen_ready") != 1 else { return Answer(metrics: metrics, missing: []) }
        struct Health: Decodable {
            struct Missing: Decodable {
                var name: String
                var reason: String?
            }
            var missing: [Missing]?
        }
        let health = try? await http.send(HTTPClientRequest(url: "\(base)/health/ready", timeout: .seconds(2)))
        let missing = health.flatMap { try? JSONDecoder().decode(Health.self, from: Data($0.body)) }?.missing ?? []
        return Answer(
            metrics: metrics,
            missing: missing.isEmpty ? ["not ready"] : missing.map { $0.reason.map { $0 } ?? $0.name })
    }

    private func stage(_ kind: StageKind, _ answers: [Answer], extra: [(String, Double)]) -> LabStage {
        let now = (ContinuousClock.now - started) / .seconds(1)
        var counts: [LabStage.Count] = []
        for count in kind.counts {
            let value = answers.compactMap { count.value($0.metrics) }.reduce(0, +)
            guard value != 0 || count.isShownAtZero else { continue }
            let rate = count.isCounter ? meter.rate(of: "\(kind.name) \(count.label)", value, at: now) : nil
            counts.append(LabStage.Count(label: count.label, value: value, rate: rate))
        }
        for (label, value) in extra {
            let rate = meter.rate(of: "\(kind.name) \(label)", value, at: now)
            counts.append(LabStage.Count(label: label, value: value, rate: rate))
        }
        return LabStage(
            name: kind.name,
            health: answers.isEmpty ? .down : answers.contains { $0.missing.isEmpty } ? .ready : .notReady,
            missing: Array(Set(answers.flatMap(\.missing))).sorted(), processes: answers.count,
            counts: answers.isEmpty ? [] : counts)
    }

    /// The pushes that the simulator has accepted and refused, by its own count.
    private func pushes() async -> [(String, Double)] {
        struct Counts: Decodable {
            struct Line: Decodable {
                var status: Int
                var count: Int
            }
            var pushes: [Line]
        }
        guard let counts = try? await apns.get("/counts", as: Counts.self) else { return [] }
        let taken = counts.pushes.filter { $0.status == 200 }.reduce(0) { $0 + $1.count }
        return [("taken", Double(taken)), ("refused", Double(counts.pushes.reduce(0) { $0 + $1.count } - taken))]
    }
}
