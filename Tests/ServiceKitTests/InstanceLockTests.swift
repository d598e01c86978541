import FoundationEssentials
import TestKit
import Testing

@testable import ServiceKit

@Suite struct InstanceLockTests {
    @Test func aNameIsOneProcesssOnly() throws {
        try withFolder { folder in
            let lock = try InstanceLock.take("coordinator-a", in: folder)
            let refusal = #expect(throws: InstanceLock.Taken.self) {
                try InstanceLock.take("coordinator-a", in: folder)
            }
            #expect(refusal?.description.hasPrefix("INSTANCE: \"coordinator-a\" is a running process already") == true)
            let other = try InstanceLock.take("coordinator-b", in: folder)
            lock.remove()
            let next = try InstanceLock.take("coordinator-a", in: folder)
            for each in [other, next] { each.remove() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test func whatADeadOneLeftIsRemovedAndNothingOfALivingOne() throws {
        try withFolder { folder in
            let living = try InstanceLock.take("living", in: folder)
            for name in ["living.health", "dead.health", "dead.instance"] {
                #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data()))
            }
            let lock = try InstanceLock.take("new", in: folder)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(left == ["living.health", "living.instance", "new.instance"])
            for each in [living, lock] { each.remove() }
        }
    }

    @Test func aFolderThatCannotBeWrittenToNamesTheSetting() {
        let refusal = #expect(throws: ConfigurationError.self) { try InstanceLock.take("a", in: "/nowhere/at/all") }
        #expect(refusal?.setting == "SIGHTSCREEN_RUN_DIR")
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
