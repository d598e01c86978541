import ArgumentParser
import Glibc
import HTTP2
import Reactor

/// The bare sender, without anybody who keeps books: the least that a push can cost here.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Sends requests as fast as they go, each to a device of its own.")

    @Option(help: "Where to.") var host = "localhost"
    @Option(help: "Its port.") var port: Int
    @Option(name: .customLong("ca"), help: "PEM file with the root to trust.") var caFile: String
    @Option(help: "How many requests.") var requests = 100_000
    @Option(help: "Connections, of all threads together.") var connections = 4
    @Option(help: "Streams under way on each.") var streams = 100
    @Option(help: "Threads.") var threads = 1
    @Option(help: "Bytes of a body: white space is added to a push that has fewer.") var bytes = 1_000
    @Option(help: "The .p8 file that the provider token is signed with; without it the token is no good.")
    var key: String?
    @Option(help: "Its key id.") var keyID = "KEYID00001"
    @Option(help: "Its team.") var teamID = "TEAMID0001"
    @Option(help: "The app.") var bundleID = "dev.sightscreen.app"

    mutating func run() async throws {
        let origin = HTTP2Origin(host: host, port: port)
        let tls = try TLSConfiguration.client(caFile: caFile).makeContext()
        let addresses = try await origin.addresses()
        guard let address = addresses.first else { throw ValidationError("\(host) has no address") }
        let push = try LabPush(
            authority: origin.authority,
            authorization: LabPush.authorization(keyFile: key, keyID: keyID, teamID: teamID), bundleID: bundleID,
            bytes: bytes)
        let (streams, connections, perThread) = (streams, connections / threads, requests / threads)
        let begun = MonotonicTime.now
        let processor = Self.processorNanoseconds
        let counts = await withTaskGroup(of: BareFanOut.Count.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    let fanOut = BareFanOut(
                        reactor: Reactor(name: "fanout-\(thread)"), requests: perThread,
                        first: thread * perThread, push: push)
                    return await fanOut.run(address, origin, tls, connections: connections, streams: streams)
                }
            }
            return await group.reduce(into: BareFanOut.Count()) { $0.add($1) }
        }
        let seconds = Double(MonotonicTime.now - begun) / 1e9
        let spent = Double(Self.processorNanoseconds - processor) / 1e9
        let sent = Double(counts.answered)
        print(
            """
            {"answered":\(counts.answered),"ok":\(counts.ok),"refused":\(counts.refused),"unknown":\(counts.unknown),\
            "seconds":\(seconds),"perSecond":\((sent / seconds).rounded()),"processorSeconds":\(spent),\
            "microseconds":\(spent * 1e6 / max(sent, 1))}
            """)
    }

    /// Of this process, user and system.
    static var processorNanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
