import FoundationEssentials
import Glibc
import TestKit
import Testing

@testable import ServiceKit

/// Of what goes on in the run directory nobody but its user may have a hand in.
@Suite struct RunDirectoryTests {
    @Test func makesWhatIsMissingForItsUserAlone() async throws {
        try await withTemporaryDirectory { folder in
            let made = try RunDirectory.prepare(folder.appending("a/run"), service: "bus")
            #expect(made == folder.appending("a/run/bus"))
            for path in [folder.appending("a/run"), made] { #expect(mode(of: path) == 0o700) }
        }
    }

    @Test(arguments: [mode_t(0o700), 0o711, 0o755, 0o770])
    func takesOneThatOthersCannotWriteTo(_ mode: mode_t) async throws {
        try await withTemporaryDirectory { folder in
            chmod(folder.path, mode)
            let made = try RunDirectory.prepare(folder.path, service: "bus")
            #expect(self.mode(of: made) == 0o700)
        }
    }

    @Test(arguments: [mode_t(0o777), 0o1777, 0o2777, 0o702])
    func refusesOneThatEveryUserMayWriteTo(_ mode: mode_t) async throws {
        try await withTemporaryDirectory { folder in
            chmod(folder.path, mode)
            let refusal = #expect(throws: ConfigurationError.self) {
                try RunDirectory.prepare(folder.path, service: "bus")
            }
            #expect(refusal?.setting == "SIGHTSCREEN_RUN_DIR")
            #expect(refusal?.problem.contains("(mode \(String(mode, radix: 8)))") == true)
            // It may be /tmp: it stays as it is, and a folder in it is taken.
            #expect(self.mode(of: folder.path) == UInt(mode))
            #expect(access(folder.appending("bus"), F_OK) != 0)
            try RunDirectory.prepare(folder.appending("run"), service: "bus")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func refusesOneOfAnotherUser() async throws {
        try await withTemporaryDirectory { folder in
            chown(folder.path, 65_534, 65_534)
            let refusal = #expect(throws: ConfigurationError.self) {
                try RunDirectory.prepare(folder.path, service: "bus")
            }
            #expect(refusal?.description.contains("belongs to another user (65534)") == true)
        }
    }

    private func mode(of path: String) -> UInt? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        return attributes[.posixPermissions] as? UInt
    }
}
