import Testing

@testable import ServiceKit

@Suite struct SuiteTests {
    @Test func aProgramIsOfACommitOnlyWhereItsBuildIDSaysSo() {
        let commit = Array(UInt8(0)..<20)
        #expect(
            Suite.commit(buildID: Array("commit".utf8) + commit) == "000102030405060708090a0b0c0d0e0f10111213")
        // What linkers write by themselves is a hash of the program, as long as a commit.
        #expect(Suite.commit(buildID: commit) == "unknown")
        #expect(Suite.commit(buildID: []) == "unknown")
        #expect(Suite.commit(buildID: Array("commit".utf8)) == "unknown")
        #expect(Suite.version == "0.1.0+unknown", "tests are built of no commit")
    }
}
