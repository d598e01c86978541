import ControlHTTP
import HTTPTypes
import Hummingbird
import NIOCore
import SightscreenClient
import SightscreenModels

/// The page and its API. `deploy/docs/device-lab.md` describes the calls.
struct LabServer: Sendable {
    /// The limit for every request body.
    static let bodyBytesMax = 64 << 10
    /// Phones that act at the same time, when all are asked to.
    static let phonesAtOnce = 32

    let lab: Lab
    let standIns: StandInControl
    let page: LabPage
    let names: Set<String>
    /// The display state by the API; without it only the tapes say which matches there are.
    var displayState: DeviceLabService.DisplayState?
    var times = EventStream.Times()

    private struct Route: Sendable {
        var method: HTTPRequest.Method
        var path: String
        var answer: @Sendable (Request, LabContext) async throws -> Response

        init(
            _ method: HTTPRequest.Method, _ path: String,
            _ answer: @escaping @Sendable (Request, LabContext) async throws -> Response
        ) {
            self.method = method
            self.path = path
            self.answer = answer
        }
    }

    func router() -> Router<LabContext> {
        let router = Router(context: LabContext.self)
        router.add(middleware: LabGuard(names: names))
        let routes = routes
        for route in routes { router.on(RouterPath(route.path), method: route.method, use: route.answer) }
        for (path, taken) in Dictionary(grouping: routes, by: \.path) {
            Self.refuse(in: router, path, but: taken.map(\.method))
        }
        return router
    }

    private var routes: [Route] {
        let files = [HTTPRequest.Method.get, .head].flatMap { method in
            [
                Route(method, "/") { _, _ in try file("") },
                Route(method, "/:file") { _, context in try file(try context.parameters.require("file")) },
            ]
        }
        return files + [
            Route(.get, "/api/stream") { request, context in try await stream(request, context) },
            Route(.post, "/api/streams/:stream") { request, context in
                try await select(try context.parameters.require("stream"), request)
            },
            Route(.get, "/api/lab") { _, _ in try JSONAnswer.response(LabWithCards(lab: await lab.state)) },
            Route(.get, "/api/phones") { _, _ in try JSONAnswer.response(await lab.phonesInShort) },
            Route(.get, "/api/phones/:phone") { _, context in
                guard let state = await lab.state(of: try context.parameters.require("phone")) else {
                    throw Self.noPhone
                }
                return try JSONAnswer.response(PhoneWithCards(phone: state))
            },
            Route(.get, "/api/summary") { _, _ in try JSONAnswer.response(await lab.summary()) },
            Route(.post, "/api/phones/actions") { request, _ in try await actOnAll(request) },
            Route(.post, "/api/phones/:phone/actions") { request, context in
                try await act(try context.parameters.require("phone"), request)
            },
            Route(.get, "/api/tapes") { _, _ in
                try await passing { try JSONAnswer.response(try await standIns.tapes()) }
            },
            Route(.get, "/api/matches/:match/timeline") { _, context in
                guard let match = MatchID(try context.parameters.require("match")) else {
                    throw Problem(.notFound, "that is no match")
                }
                return try await passing { try JSONAnswer.response(try await standIns.timeline(of: match)) }
            },
            Route(.post, "/api/tape") { request, _ in try await tape(request) },
        ]
    }
    /// Answers 405 with `Allow` for the methods that a path does not take.
    private static func refuse(in router: Router<LabContext>, _ path: String, but taken: [HTTPRequest.Method]) {
        let names = taken.map(\.rawValue).joined(separator: ", ")
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        for method in methods where !taken.contains(method) {
            router.on(RouterPath(path), method: method) { request, context in
                var refusal = try Problem(.methodNotAllowed, "this takes \(names)")
                    .response(from: request, context: context)
                refusal.headers[.allow] = names
                return refusal
            }
        }
    }

    private static let noPhone = Problem(.notFound, "there is no such phone")

    private func file(_ name: String) throws -> Response {
        guard let file = page.files[name] else { throw Problem(.notFound, "there is no such page") }
        return Response(
            status: .ok, headers: [.contentType: file.type, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
    }

    // MARK: - Streams

    private func stream(_ request: Request, _ context: LabContext) async throws -> Response {
        let phone = request.uri.queryParameters["phone"].map(String.init)
        // A phone of an earlier run may be selected; the stream then shows the first.
        var selected: String?
        if let phone, await lab.phone(phone) != nil { selected = phone }
        guard let ticket = await lab.connect(selecting: selected) else {
            var refusal = try Problem(
                .serviceUnavailable, "\(Lab.browsersMax) browsers look already, or the lab is ending"
            ).response(from: request, context: context)
            refusal.headers[.retryAfter] = "5"
            return refusal
        }
        return await EventStream(lab: lab, times: times).response(to: ticket, on: context.channel)
    }

    private func select(_ stream: String, _ request: Request) async throws -> Response {
        struct Body: Decodable { var phone: String }
        let body = try await read(Body.self, request)
        guard let stream = Int(stream), await lab.select(body.phone, by: stream) else {
            throw Problem(.notFound, "there is no such stream or phone")
        }
        return Response(status: .noContent)
    }

    // MARK: - Phones

    private func act(_ id: String, _ request: Request) async throws -> Response {
        guard let phone = await lab.phone(id) else { throw Self.noPhone }
        let action = try await completed(try await read(LabAction.self, request))
        do {
            try await phone.perform(action)
        } catch let refusal as LabRefusal {
            throw Problem(.conflict, refusal.description)
        }
        let state = await phone.state
        await lab.take(state)
        return try JSONAnswer.response(PhoneWithCards(phone: state))
    }

    private func actOnAll(_ request: Request) async throws -> Response {
        struct Answer: Encodable {
            var done: Int
            var refused: Int
        }
        let action = try await completed(try await read(LabAction.self, request))
        let phones = await lab.allPhones
        let done = await withTaskGroup(of: Bool.self) { group in
            var waiting = phones[...]
            var done = 0
            for phone in waiting.prefix(Self.phonesAtOnce) { group.addTask { await Self.perform(action, on: phone) } }
            waiting = waiting.dropFirst(Self.phonesAtOnce)
            while let isDone = await group.next() {
                if isDone { done += 1 }
                if let phone = waiting.popFirst() { group.addTask { await Self.perform(action, on: phone) } }
            }
            return done
        }
        return try JSONAnswer.response(Answer(done: done, refused: phones.count - done))
    }

    private static func perform(_ action: LabAction, on phone: any LabPhone) async -> Bool {
        do {
            try await phone.perform(action)
            return true
        } catch {
            return false
        }
    }

    /// Returns the action with the match that plays, where it needs a match and names none.
    private func completed(_ action: LabAction) async throws -> LabAction {
        var action = action
        if action.isOfMatch, action.matchId == nil {
            guard let match = await lab.currentMatch else { throw Problem(.conflict, "no tape is loaded") }
            action.matchId = match
        } else if let match = action.matchId, action.action != .dismiss, await isUnknown(match) {
            // The match would stay on the phone as a row.
            throw Problem(.notFound, "there is no match \(match)")
        }
        if let user = action.user, !PhoneOwner.isName(user) {
            throw Problem(.badRequest, "a user's name has 1 to 64 letters, digits and hyphens")
        }
        return action
    }

    /// Whether both the tapes and the API say that they do not know the match.
    private func isUnknown(_ match: MatchID) async -> Bool {
        if await lab.state.matches.contains(where: { $0.id == match }) { return false }
        guard let positions = try? await standIns.positions(), !positions.contains(where: { $0.matchId == match })
        else {
            return false
        }
        guard let displayState else { return true }
        do {
            _ = try await displayState(match)
            return false
        } catch {
            return (error as? APIError)?.status == 404
        }
    }

    // MARK: - The tape

    private func tape(_ request: Request) async throws -> Response {
        let command = try await read(TapeCommand.self, request)
        let current = await lab.currentMatch
        return try await passing {
            guard let position = try await standIns.perform(command, current: current) else {
                return Response(status: .noContent)
            }
            return try JSONAnswer.response(
                LabMatch(id: position.matchId, title: position.title, tape: position.tape))
        }
    }

    /// Passes on an error of a stand-in as it is where the caller caused it, and as a bad gateway otherwise.
    private func passing(_ work: () async throws -> Response) async throws -> Response {
        do {
            return try await work()
        } catch let failure as ControlPort.Failure {
            let isCallers = failure.status.map { (400..<500).contains($0) } ?? false
            throw Problem(isCallers ? Self.status(failure.status ?? 400) : .badGateway, failure.description)
        }
    }

    /// The status with its name, where it has one.
    private static func status(_ code: Int) -> HTTPResponse.Status {
        let known: [HTTPResponse.Status] = [
            .badRequest, .notFound, .methodNotAllowed, .conflict, .gone, .contentTooLarge, .unsupportedMediaType,
            .unprocessableContent,
        ]
        return known.first { $0.code == code } ?? HTTPResponse.Status(code: code)
    }

    private func read<Body: Decodable>(_ type: Body.Type, _ request: Request) async throws -> Body {
        try JSONBody.decode(type, from: try await JSONBody.bytes(of: request, upTo: Self.bodyBytesMax))
    }
}
