/// Runs pieces of work, so many at a time.
enum WorkPool {
    /// - Returns: the results in the order of the items.
    static func run<Item: Sendable, Result: Sendable>(
        _ items: [Item], jobs: Int, _ work: @escaping @Sendable (Item) -> Result
    ) async -> [Result] {
        var results: [Result?] = Array(repeating: nil, count: items.count)
        await withTaskGroup(of: (Int, Result).self) { group in
            var next = 0
            func addOne() {
                guard next < items.count else { return }
                let index = next
                next += 1
                group.addTask { (index, work(items[index])) }
            }
            for _ in 0..<max(jobs, 1) { addOne() }
            while let (index, result) = await group.next() {
                results[index] = result
                addOne()
            }
        }
        return results.compactMap { $0 }
    }
}
