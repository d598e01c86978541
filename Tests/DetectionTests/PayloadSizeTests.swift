import APNsProtocol
import Detection
import SightscreenModels
import Testing

@Suite struct PayloadSizeTests {
    /// Encodes what a match changes as it is pushed, routine updates apart.
    private struct Sizes {
        var routine: [Int] = []
        var others: [Int] = []
        /// Routine updates without their title.
        var untitled = 0

        init(_ changes: [MatchChange]) throws {
            for (number, change) in changes.enumerated() {
                var state = change.contentState
                state.version = number + 1
                let payload = LiveActivityPayload.update(
                    stamp: Stamp(WholeMatch.startsAt + number), contentState: state,
                    staleAt: WholeMatch.startsAt + number + 600, relevance: change.relevance,
                    alert: change.alert.map { PushAlert($0) })
                let push = try payload.encode()
                if push.cuts.contains(.title) { untitled += 1 }
                if payload.isRoutine { routine.append(push.bytes.count) } else { others.append(push.bytes.count) }
            }
            routine.sort()
        }

        var median: Int { routine.isEmpty ? 0 : routine[routine.count / 2] }
    }

    /// A T20, an ODI and a Test; of the longer ones every so many frames.
    @Test(arguments: [(1_304_076, 1), (1_384_429, 6), (426_416, 20)] as [(Int64, Int)])
    func aRoutineUpdateIsSmallThroughoutAMatch(id: Int64, every: Int) throws {
        let match = try id == 1_304_076 ? WholeMatch.demo.get() : WholeMatch(id, every: every)
        var played = Played(match.id)
        played.play(match.frames)
        let sizes = try Sizes(played.changes)
        #expect(sizes.routine.count > 50)
        #expect(sizes.median <= PushPayload.routineBytesAim, "\(sizes.median)")
        #expect(sizes.untitled == 0)
        #expect((sizes.routine + sizes.others).allSatisfy { $0 <= PushPayload.bytesMax })
    }
}
