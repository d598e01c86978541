import Testing

@testable import OperatorTool

@Suite struct FreePortsTests {
    /// Two suites may start at once, and what one of them was given is not bound yet when the other one looks.
    @Test func aPortIsGivenOnce() throws {
        let ports = try FreePorts.take(20)
        #expect(Set(ports).count == 20)
        for port in ports {
            #expect(FreePorts.isFree(port))
            #expect(!FreePorts.claim(port), "\(port) would be given again")
        }
    }
}
