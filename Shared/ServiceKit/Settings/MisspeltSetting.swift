/// Finds a variable whose name is nearly a setting's: `PUSH_TREADS=4` would otherwise be taken in silence, and do nothing.
///
/// A process has many variables that are not its settings: the system's, a supervisor's, and settings of other services in a
/// file that all share. So only a slip of the pen is refused: one letter more, less, other, or two exchanged; in names of
/// twelve letters and more two such slips, where two names that are both meant still differ by more.
enum MisspeltSetting {
    /// - Throws: `ConfigurationError` that names the variable and the nearest setting.
    static func refuse(in environment: [String: String], of service: ServiceDescription) throws(ConfigurationError) {
        let names = service.settings.flatMap { $0.isSecret ? [$0.name, "\($0.name)_FILE"] : [$0.name] }
        for (variable, value) in environment.sorted(by: { $0.key < $1.key })
        where !value.isEmpty && !service.knows(variable) {
            guard let name = nearest(to: variable, among: names) else { continue }
            throw ConfigurationError(
                setting: variable, problem: "is no setting of \(service.name), but \(name) is: was that meant?")
        }
    }

    /// Returns the name that the variable is a slip away from; nil if there is none.
    static func nearest(to variable: String, among names: [String]) -> String? {
        names.map { (name: $0, slips: slips(Array($0.utf8), Array(variable.utf8))) }
            .filter { $0.slips > 0 && $0.slips <= ($0.name.utf8.count < 12 ? 1 : 2) }
            .min { $0.slips < $1.slips }?.name
    }

    /// The fewest letters to insert, leave out, replace or exchange with their neighbours to make one text of the other; 3
    /// where their lengths differ by more than 2.
    private static func slips(_ one: [UInt8], _ other: [UInt8]) -> Int {
        guard abs(one.count - other.count) <= 2 else { return 3 }
        var (before, last) = ([Int](), Array(0...other.count))
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                var fewest = min(last[j + 1] + 1, row[j] + 1, last[j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    fewest = min(fewest, before[j - 1] + 1)
                }
                row.append(fewest)
            }
            (before, last) = (last, row)
        }
        return last[other.count]
    }
}
