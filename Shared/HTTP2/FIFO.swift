/// A queue over an array. Removing from the front costs the same however long the queue is.
package struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    package var count: Int { elements.count - head }
    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            if head > 512, head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    package var first: Element? { head < elements.count ? elements[head] : nil }

    /// Removes all elements that match, and returns them in order.
    package mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
        let all = elements[head...].compactMap { $0 }
        let taken = all.filter(matches)
        if !taken.isEmpty {
            elements = all.filter { !matches($0) }
            head = 0
        }
        return taken
    }
}
