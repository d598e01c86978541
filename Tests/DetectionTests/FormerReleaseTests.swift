import Cricket
import Detection
import FoundationEssentials
import SightscreenModels
import Testing

/// A machine that the release before this one stored goes on.
@Suite struct FormerReleaseTests {
    private indirect enum JSON: Codable {
        case null, bool(Bool), integer(Int64), number(Double), text(String), list([JSON]), object([String: JSON])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let bool = try? value.decode(Bool.self) {
                self = .bool(bool)
            } else if let integer = try? value.decode(Int64.self) {
                self = .integer(integer)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let list = try? value.decode([JSON].self) {
                self = .list(list)
            } else {
                self = .object(try value.decode([String: JSON].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .null: try value.encodeNil()
            case .bool(let bool): try value.encode(bool)
            case .integer(let integer): try value.encode(integer)
            case .number(let number): try value.encode(number)
            case .text(let text): try value.encode(text)
            case .list(let list): try value.encode(list)
            case .object(let object): try value.encode(object)
            }
        }

        /// Without these keys, wherever they are.
        func without(_ keys: Set<String>) -> JSON {
            switch self {
            case .list(let list): .list(list.map { $0.without(keys) })
            case .object(let object):
                .object(object.filter { !keys.contains($0.key) }.mapValues { $0.without(keys) })
            default: self
            }
        }
    }

    /// As that release would have written it: today's JSON without what was added since, and with what was renamed.
    private static func stored(_ machine: MatchMachine) throws -> Data {
        let data = try JSONEncoder().encode(machine)
        var values = try JSONDecoder().decode([String: JSON].self, from: data)
        for key in [
            "targets", "matchDay", "fleeting", "corrections", "resultWords", "shown", "statusEvents", "rainToldAt",
            "days", "ballsAtStumps",
        ] { values[key] = nil }
        values["lastEventKey"] = .text("wicket")
        values["cooldown"] = values["cooldown"]?.without(["isKey", "name", "isTakenBack"])
        values["waiting"] = values["waiting"]?.without(["hold"])
        values["result"] = values["result"]?.without(["outcome"])
        return try JSONEncoder().encode(values)
    }

    @Test func whatWasToldBeforeTheUpgradeIsNotToldAgainAndTheNextWicketIs() throws {
        var (book, played) = MatchMachineTests().opening()
        book.bowl("1 W")
        #expect(played.take(book.snapshot, at: book.fetchedAt)?.alert != nil)
        played.machine = try JSONDecoder().decode(MatchMachine.self, from: try Self.stored(played.machine))
        #expect(played.take(book.snapshot, at: book.fetchedAt + 5_000)?.alert == nil)
        book.bowl("1 W")
        let next = played.take(book.snapshot, at: book.fetchedAt)
        #expect(next?.alert?.kind == .wicket)
        #expect(next?.events.contains { $0.key == "wicket" } == false)
    }

    /// The former release did not note these events, so the time of a revised target is not known.
    @Test func whatOnlyTheStatusTellsIsNoNewsAfterTheUpgrade() throws {
        var (book, played) = MatchMachineTests().opening()
        book.bowl("1 4")
        played.take(book.snapshot, at: book.fetchedAt)
        played.machine = try JSONDecoder().decode(MatchMachine.self, from: try Self.stored(played.machine))
        book.snapshot.phase = .stumps(day: 1)
        #expect(played.take(book.snapshot, at: book.fetchedAt + 5_000)?.alert == nil)
        #expect(played.take(book.snapshot, at: book.fetchedAt + 10_000)?.alert == nil)
    }
}
