/// The newest elements, up to 64, the newest first.
struct Recent<Element: AnyObject> {
    private static var elementsMax: Int { 64 }
    private var elements: [Element] = []

    func first(where holds: (Element) -> Bool) -> Element? { elements.first(where: holds) }

    mutating func add(_ element: Element) -> Element {
        if elements.count >= Self.elementsMax { elements.removeLast() }
        elements.insert(element, at: 0)
        return element
    }
}
