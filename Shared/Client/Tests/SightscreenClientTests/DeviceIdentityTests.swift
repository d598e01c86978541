import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Synchronization
import Testing

/// The id by which the backend knows this phone.
@Suite struct DeviceIdentityTests {
    /// What the system says, which tests change.
    private final class System: Sendable {
        private let vendorID: Mutex<String?>
        private let asked = Mutex(0)

        init(_ id: String?) { vendorID = Mutex(id) }

        var id: String? { vendorID.withLock { $0 } }
        func set(_ id: String?) { vendorID.withLock { $0 = id } }

        var askedCount: Int { asked.withLock { $0 } }
        /// Returns whether it is asked for the first time.
        func isAskedFirst() -> Bool {
            asked.withLock {
                $0 += 1
                return $0 == 1
            }
        }
    }

    private func identity(_ system: System, _ keychain: InMemoryKeychain) -> DeviceIdentity {
        DeviceIdentity(keychain: keychain) { system.id }
    }

    @Test func theIdIsReadWhenItIsNeeded() async {
        let (system, keychain) = (System(nil), InMemoryKeychain())
        let identity = identity(system, keychain)
        #expect(await identity.id() == nil)
        system.set("a")
        #expect(await identity.id() == DeviceID("a"))
        // It stays the same while the app runs.
        system.set("b")
        #expect(await identity.id() == DeviceID("a"))
    }

    @Test func theIdOfAnEarlierLaunchIsKept() async {
        let (system, keychain) = (System("a"), InMemoryKeychain())
        #expect(await identity(system, keychain).id() == DeviceID("a"))
        system.set(nil)
        #expect(await identity(system, keychain).id() == DeviceID("a"))
        // The app was installed again.
        system.set("b")
        #expect(await identity(system, keychain).id() == DeviceID("b"))
        system.set(nil)
        #expect(await identity(system, keychain).id() == DeviceID("b"))
    }

    @Test func aLockedKeychainIsNoOtherPhone() async {
        let (system, keychain) = (System("a"), InMemoryKeychain())
        #expect(await identity(system, keychain).id() == DeviceID("a"))
        keychain.trouble(.locked)
        system.set(nil)
        let late = identity(system, keychain)
        #expect(await late.id() == nil)
        keychain.trouble(nil)
        #expect(await late.id() == DeviceID("a"))
    }

    /// The system launches the app between a restart and the first unlock.
    @Test func aPhoneWithoutAnIdIsNotRegistered() async throws {
        let system = System(nil)
        let phone = try await Phone(Sample.match(), device: identity(system, InMemoryKeychain()))
        await phone.app.start()
        await phone.app.deviceTokenChanged(await phone.kit.deviceToken)
        phone.clock.advance(seconds: 60)
        #expect(await phone.gateway.calls.isEmpty)
        #expect(await phone.kit.listenerCount == 0)
        // It is unlocked.
        system.set(Sample.device.rawValue)
        try await phone.launch()
        #expect(await Array(phone.gateway.devices.keys) == [Sample.device])
        await phone.end()
    }

    /// Returns a phone whose system first says that there is no id, and says so once the stream is finished.
    private func locked(_ system: System) async throws -> (Phone, AsyncStream<Void>.Continuation) {
        let (late, answer) = AsyncStream.makeStream(of: Void.self)
        let identity = DeviceIdentity(keychain: InMemoryKeychain()) {
            let id = system.id
            if system.isAskedFirst() { for await _ in late {} }
            return id
        }
        return (try await Phone(Sample.match(), device: identity), answer)
    }

    /// A push and the launch start the service together, and only the later one comes after the unlock.
    @Test func aStartThatWaitsForAnEarlierOneLooksAgain() async throws {
        let system = System(nil)
        let (phone, answer) = try await locked(system)
        let app = phone.app
        let first = Task { await app.start() }
        try await phone.soon("the id is asked for") { system.askedCount == 1 }
        system.set(Sample.device.rawValue)
        let second = Task { await app.start() }
        try await Task.sleep(for: .milliseconds(50))
        answer.finish()
        await first.value
        await second.value
        #expect(await phone.kit.listenerCount > 0)
        await phone.end()
    }

    @Test func aStopGivesUpTheStartsThatWait() async throws {
        let system = System(nil)
        let (phone, answer) = try await locked(system)
        let app = phone.app
        let starts = [Task { await app.start() }, Task { await app.start() }]
        try await phone.soon("the id is asked for") { system.askedCount == 1 }
        system.set(Sample.device.rawValue)
        let stop = Task { await app.stop() }
        try await Task.sleep(for: .milliseconds(50))
        answer.finish()
        for task in starts + [stop] { await task.value }
        #expect(await phone.kit.listenerCount == 0)
        try await phone.launch()
        #expect(await phone.kit.listenerCount > 0)
        await phone.end()
    }
}
