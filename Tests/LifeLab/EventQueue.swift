/// What happens when, on a virtual clock. What is due at the same time happens in the order in which it was planned.
struct EventQueue {
    private struct Entry {
        var at: Int
        var order: Int
        var body: () -> Void

        func comesBefore(_ other: Entry) -> Bool { at != other.at ? at < other.at : order < other.order }
    }

    private var heap: [Entry] = []
    private var planned = 0

    var nextAt: Int? { heap.first?.at }

    mutating func add(at: Int, _ body: @escaping () -> Void) {
        planned += 1
        heap.append(Entry(at: at, order: planned, body: body))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].comesBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> (at: Int, body: () -> Void) {
        let first = heap[0]
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                var least = parent
                for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                    if heap[child].comesBefore(heap[least]) { least = child }
                }
                if least == parent { break }
                heap.swapAt(parent, least)
                parent = least
            }
        }
        return (first.at, first.body)
    }
}
