/// Describes an error and its causes in one line.
public enum ErrorChain {
    private static let depthMax = 8

    /// Describes an error, and follows the stored property `cause`, which our errors have.
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
            // An optional arrives wrapped; the cast unwraps it.
            return child.value as? any Error
        }
        return nil
    }
}
