/// Lets so many pass, and the others when it is opened.
actor Valve {
    private var left: Int
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ left: Int) { self.left = left }

    func pass() async {
        left -= 1
        guard left < 0, !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

extension StubAPNs {
    /// Takes each push, and answers when the valve lets it.
    func answer(through valve: Valve) async {
        await answer { _, _ in
            await valve.pass()
            return StubAPNs.accepted
        }
    }
}
