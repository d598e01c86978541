/// The queue in front of a batcher. Two requests with a key in common never go in one batch or in two batches at once.
/// So batches never meet in the same rows, and requests with a key in common take effect in the order in which they
/// came.
///
/// A ticket holds a place in the line of each of its keys, from `add` until `leave`. It is ready when it is first in
/// all of them. Every step costs as much as a ticket has keys, however long the lines are.
struct BatchQueue<Key: Hashable & Sendable>: Sendable {
    typealias Ticket = UInt64

    private struct Member {
        var keys: [Key]
        /// The number of lines in which another ticket is before it.
        var blocks: Int
        var isTaken = false
    }

    /// The tickets with one key. Most lines hold a single ticket.
    private struct Line {
        var first: Ticket
        var others: [Ticket] = []
    }

    private let membersMax: Int
    private var members: [Ticket: Member] = [:]
    private var lines: [Key: Line] = [:]
    /// The tickets in the order in which they became ready. A ticket that has left stays until its turn comes.
    private var ready: [Ticket] = []
    private var readyHead = 0
    private var nextTicket: Ticket = 0
    /// The length of `ready`, including places that were served.
    var readyPlaces: Int { ready.count }
    /// The number of tickets that could be taken now.
    private(set) var readyCount = 0

    /// - Parameter membersMax: the most tickets at a time, including those that were taken and have not left.
    init(membersMax: Int) { self.membersMax = membersMax }

    mutating func newTicket() -> Ticket {
        defer { nextTicket += 1 }
        return nextTicket
    }

    /// - Returns: false if the queue is full.
    mutating func add(_ ticket: Ticket, _ keys: [Key]) -> Bool {
        guard members.count < membersMax else { return false }
        var own: [Key] = []
        var blocks = 0
        for key in keys where !own.contains(key) {
            own.append(key)
            if lines[key]?.others.append(ticket) == nil {
                lines[key] = Line(first: ticket)
            } else {
                blocks += 1
            }
        }
        members[ticket] = Member(keys: own, blocks: blocks)
        if blocks == 0 { markReady(ticket) }
        return true
    }

    /// Takes at most `count` ready tickets, the earliest first. They keep their places in line until they leave.
    mutating func take(_ count: Int) -> [Ticket] {
        var taken: [Ticket] = []
        taken.reserveCapacity(min(count, readyCount))
        while taken.count < count, readyHead < ready.count {
            let ticket = ready[readyHead]
            readyHead += 1
            guard members[ticket]?.isTaken == false else { continue }
            members[ticket]?.isTaken = true
            taken.append(ticket)
        }
        if readyHead == ready.count {
            ready.removeAll(keepingCapacity: true)
            readyHead = 0
        } else if readyHead >= max(1_024, ready.count / 2) {
            // Under load the list may never be empty, so the served part must be removed before it piles up.
            ready.removeFirst(readyHead)
            readyHead = 0
        }
        readyCount -= taken.count
        return taken
    }

    /// Makes a ticket ready again, after those that are ready now.
    mutating func putBack(_ ticket: Ticket) {
        members[ticket]?.isTaken = false
        markReady(ticket)
    }

    /// Removes a ticket that is done or has given up waiting; those behind it move up.
    mutating func leave(_ ticket: Ticket) {
        guard let member = members.removeValue(forKey: ticket) else { return }
        if !member.isTaken, member.blocks == 0 { readyCount -= 1 }
        for key in member.keys { leave(ticket, key) }
    }

    private mutating func leave(_ ticket: Ticket, _ key: Key) {
        guard var line = lines[key] else { return }
        if line.first != ticket {
            line.others.removeAll { $0 == ticket }
            lines[key] = line
        } else if line.others.isEmpty {
            lines[key] = nil
        } else {
            line.first = line.others.removeFirst()
            lines[key] = line
            moveUp(line.first)
        }
    }

    private mutating func moveUp(_ ticket: Ticket) {
        guard var member = members[ticket] else { return }
        member.blocks -= 1
        members[ticket] = member
        if member.blocks == 0 { markReady(ticket) }
    }

    private mutating func markReady(_ ticket: Ticket) {
        ready.append(ticket)
        readyCount += 1
    }
}
