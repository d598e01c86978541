/// An error and what caused it, in one line.
public enum ErrorChain {
    private static let depthMax = 8

    /// Follows each error's stored property `cause`, as our errors name it.
    public static func describe(_ error: any Error) -> String {
        var parts: [String] = []
        var next: (any Error)? = error
        while let current = next, parts.count < depthMax {
            parts.append("\(current)")
            next = cause(of: current)
        }
        return LogText.escapingControls(parts.joined(separator: ", because: "))
    }

    private static func cause(of error: any Error) -> (any Error)? {
        for child in Mirror(reflecting: error).children where child.label == "cause" {
            // An optional arrives wrapped; the cast looks through it.
            return child.value as? any Error
        }
        return nil
    }
}
