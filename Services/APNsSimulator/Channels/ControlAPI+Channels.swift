import ControlHTTP
import HTTPTypes
import Hummingbird
import SightscreenModels

/// Channels as phones and the portal see them.
///
/// - `POST /subscribers` `{channel, environment, subscriber, timestamp?, frequentPushes?}` or an array of them → 201;
///   404 where there is no such channel in that environment. `subscriber` is the name under which `GET /deliveries`
///   shows what reaches the phone, as its `token`. A subscriber that listens already has a new activity now.
/// - `DELETE /subscribers` `{channel, subscriber}` → 204.
/// - `GET /channels` → `[{id, environment, bundleID, policy, publishes, subscribers}]`.
/// - `GET /capability`, `PUT /capability` `{enabled, reason?}` → whether the app may use channels. Switching it off
///   deletes all of them.
extension ControlAPI {
    func addChannelRoutes(to router: Router<BasicRequestContext>) {
        router.post("subscribers") { request, _ in
            try await subscribe(try JSONBody.decode(NewSubscribers.self, from: try await body(of: request)).all)
        }
        router.delete("subscribers") { request, _ in
            let leaving = try JSONBody.decode(LeavingSubscriber.self, from: try await body(of: request))
            guard await simulator.unsubscribe(leaving.subscriber, from: leaving.channel) else {
                throw Problem(.notFound, "that subscriber does not listen to that channel")
            }
            return Response(status: .noContent)
        }
        router.get("channels") { _, _ in try JSONAnswer.response(await simulator.listedChannels) }
        router.get("capability") { _, _ in try JSONAnswer.response(await simulator.capability) }
        router.put("capability") { request, _ in
            let wanted = try JSONBody.decode(Capability.self, from: try await body(of: request))
            do { try await simulator.setCapability(wanted) } catch {
                throw Problem(.internalServerError, "the channels cannot be written down")
            }
            return Response(status: .noContent)
        }
    }

    private func subscribe(_ wanted: [NewSubscriber]) async throws -> Response {
        for new in wanted {
            guard !new.subscriber.isEmpty, new.subscriber.utf8.count <= SubscriberNames.bytesMax else {
                throw Problem(.badRequest, "a subscriber's name has 1 to \(SubscriberNames.bytesMax) bytes")
            }
            switch await simulator.subscribe(new) {
            case .listens: break
            case .noChannel:
                throw Problem(.notFound, "there is no channel \(new.channel) in \(new.environment.rawValue)")
            case .tooMany: throw Problem(.conflict, "\(SubscriberNames.namesMax) subscribers are known already")
            }
        }
        return Response(status: .created)
    }
}

/// A phone that begins to listen to a channel.
struct NewSubscriber: Decodable, Sendable {
    var channel: String
    var environment: APNsEnvironment
    var subscriber: String
    /// The stamp that the activity shows already; nil when it is not known.
    var timestamp: Int?
    /// The user's switch for frequent pushes, which decides on the phone's budget; true by default.
    var frequentPushes: Bool?
}

/// One phone or several, as in the body of `POST /subscribers`.
private struct NewSubscribers: Decodable {
    var all: [NewSubscriber]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? decoder.unkeyedContainer()) != nil {
            all = try container.decode([NewSubscriber].self)
        } else {
            all = [try container.decode(NewSubscriber.self)]
        }
    }
}

private struct LeavingSubscriber: Decodable {
    var channel: String
    var subscriber: String
}

/// A line of `GET /channels`.
struct ListedChannel: Encodable, Sendable {
    var id: String
    var environment: APNsEnvironment
    var bundleID: String
    var policy: Int
    /// Publishes that were accepted.
    var publishes: Int
    var subscribers: Int
}

/// The result of subscribing.
enum Subscription: Sendable {
    case listens
    case noChannel
    case tooMany
}

extension Simulator {
    var listedChannels: [ListedChannel] {
        channels.all.map { channel in
            ListedChannel(
                id: channel.id, environment: channel.environment, bundleID: configuration.bundleID,
                policy: channel.policy, publishes: channel.publishes, subscribers: channel.listeners.count)
        }
    }

    func subscribe(_ new: NewSubscriber) -> Subscription {
        guard let number = subscribers.add(new.subscriber) else { return .tooMany }
        let phone = DeviceModel(
            kind: .update, shown: new.timestamp.map(Stamp.init), takesFrequentPushes: new.frequentPushes ?? true)
        return subscribe(number, to: new.channel, in: new.environment, phone) ? .listens : .noChannel
    }
}
