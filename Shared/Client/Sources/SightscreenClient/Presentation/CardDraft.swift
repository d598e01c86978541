/// A piece before the layout, which may make it smaller.
struct PieceDraft {
    /// One form of the piece. The options go from the fullest to the shortest.
    struct Option {
        var text: String
        var size: Double
    }

    var role: CardPiece.Role
    var shape = CardPiece.Shape.text
    var options: [Option]
    var weight = CardPiece.Weight.regular
    var ink = CardInk.primary
    var field: CardInk?
    var time: Int?
    /// The distance to the piece before it.
    var space = 5.0
    /// The least width, so that marks below each other have the same one.
    var widthMin = 0.0
    /// The piece's importance. Pieces with the lowest value are shortened first.
    var keep: Int
    /// Whether the piece may be left out when its shortest form is too wide.
    var mayGo = true
    /// Whether its last form may be cut. A score is never cut.
    var mayBeCut = false

    init(
        _ role: CardPiece.Role, _ texts: [String], _ sizes: [Double], _ weight: CardPiece.Weight = .regular,
        _ ink: CardInk = .primary, keep: Int, mayGo: Bool = true, mayBeCut: Bool = false
    ) {
        self.role = role
        self.weight = weight
        self.ink = ink
        self.keep = keep
        self.mayGo = mayGo
        self.mayBeCut = mayBeCut
        // Shorter words come before smaller type.
        var seen: Set<String> = []
        let distinct = texts.filter { !$0.isEmpty && seen.insert($0).inserted }
        options = sizes.flatMap { size in distinct.map { Option(text: $0, size: size) } }
    }

    /// Creates a piece with a time of day, which takes at most "12:00 PM".
    init(time: Int, _ size: Double, _ weight: CardPiece.Weight, _ ink: CardInk, keep: Int) {
        self.init(.start, ["00:00 PM"], [size, size - 1, size - 2, size - 3], weight, ink, keep: keep, mayGo: false)
        self.time = time
    }

    /// Creates a piece with a side's short name on its colour.
    init(team abbr: String, size: Double, keep: Int, widthMin: Double = 0) {
        self.init(
            .team, [abbr, String(abbr.prefix(4))], [size], .bold, .onTeam(abbr), keep: keep, mayGo: false,
            mayBeCut: abbr.count > 4)
        shape = .chip
        field = .team(abbr)
        self.widthMin = widthMin
    }

    func piece(_ option: Option) -> CardPiece {
        CardPiece(
            role: role, shape: shape, text: time == nil ? option.text : "", time: time, size: option.size,
            weight: weight,
            ink: ink, field: field, space: space, width: width(option))
    }

    func width(_ option: Option) -> Double {
        let text = TextWidth.of(option.text, size: option.size, weight: weight)
        switch shape {
        case .text: return text
        case .chip: return max(text + 2 * Self.chipInset(option.size), widthMin)
        case .circle: return max(text + 0.4 * option.size, 1.75 * option.size)
        case .line: return 1.5
        }
    }

    static func chipInset(_ size: Double) -> Double { (size * 0.4).rounded() }
}

/// A row before the layout.
struct RowDraft {
    var leading: [PieceDraft]
    var trailing: [PieceDraft] = []
    var gap: Double = 0
    var isOnBaseline = true
    var isCentred = false
    var isBesideCamera = false
    /// The row's importance. When the rows are too high, those with the lowest value are left out first.
    var keep: Int

    /// Returns the line height of a type size, as a system font has it.
    static func lineHeight(_ size: Double) -> Double { (size * 1.2).rounded(.up) }

    /// Fits the pieces into `width`; nil when none is left.
    func fitted(_ width: Double, gap endsGap: Double) -> CardRow? {
        var fit = RowFit(self, width: width, endsGap: endsGap)
        fit.shrink()
        guard !fit.leading.isEmpty || !fit.trailing.isEmpty else { return nil }
        let height = (fit.leading + fit.trailing).map(\.height).max() ?? 0
        return CardRow(
            leading: fit.leading, trailing: fit.trailing,
            height: isBesideCamera ? max(height, CardPlace.cameraHeight) : height,
            gap: gap, isOnBaseline: isOnBaseline, isCentred: isCentred, isBesideCamera: isBesideCamera)
    }
}

extension CardPiece {
    fileprivate var height: Double {
        switch shape {
        case .text, .chip: RowDraft.lineHeight(size) + (shape == .chip ? 2 : 0)
        case .circle: (1.75 * size).rounded(.up)
        case .line: 0
        }
    }
}

/// Makes the pieces of one row fit. The least important piece gets shorter words first, then smaller type, and then is
/// left out.
private struct RowFit {
    private struct Entry {
        let draft: PieceDraft
        let isLeading: Bool
        var option = 0
        var cut: String?
        var isGone = false
    }

    private var entries: [Entry]
    private let draft: RowDraft
    private let width: Double
    private let endsGap: Double

    init(_ draft: RowDraft, width: Double, endsGap: Double) {
        self.draft = draft
        self.width = width
        self.endsGap = endsGap
        entries =
            (draft.leading.map { Entry(draft: $0, isLeading: true) }
            + draft.trailing.map { Entry(draft: $0, isLeading: false) }).filter { !$0.draft.options.isEmpty }
    }

    mutating func shrink() {
        while !fits {
            let order = entries.indices.filter { !entries[$0].isGone && isTooWide(entries[$0].isLeading) }.sorted {
                (entries[$0].draft.keep, $1) < (entries[$1].draft.keep, $0)
            }
            if let index = order.first(where: { canShorten($0) }) {
                shorten(index)
            } else if let index = order.first(where: { entries[$0].draft.mayBeCut && entries[$0].cut == nil }) {
                cut(index)
            } else {
                // Only pieces that must stay are left, such as a score with very many digits.
                return
            }
        }
    }

    private func canShorten(_ index: Int) -> Bool {
        entries[index].option + 1 < entries[index].draft.options.count || entries[index].draft.mayGo
    }

    private mutating func shorten(_ index: Int) {
        if entries[index].option + 1 < entries[index].draft.options.count {
            entries[index].option += 1
        } else {
            entries[index].isGone = true
        }
    }

    /// Cuts a piece to the words that fit into the row: a single word down to three characters, and a side's name of
    /// more than four letters down to one.
    private mutating func cut(_ index: Int) {
        var text = entries[index].draft.options[entries[index].option].text
        entries[index].cut = text
        var words = text.split(separator: " ")
        while !fits, words.count > 1 {
            words.removeLast()
            // A single letter or sign at the end leads to a word that is gone, as in "Pollard c Dhoni b".
            while words.count > 1, words[words.count - 1].count == 1 { words.removeLast() }
            text = words.joined(separator: " ")
            if text.last == "," { text.removeLast() }
            entries[index].cut = text + "…"
        }
        while !fits, text.count > (entries[index].draft.shape == .chip ? 1 : 3) {
            text.removeLast()
            entries[index].cut = text + "…"
        }
    }

    private var fits: Bool { !isTooWide(true) && !isTooWide(false) }

    /// Whether one end is too wide. Beside the camera each end has its own room.
    private func isTooWide(_ isLeading: Bool) -> Bool {
        guard draft.isBesideCamera else { return total(entries) > width }
        return total(entries.filter { $0.isLeading == isLeading }) > (width - CardPlace.cameraWidth) / 2
    }

    private func total(_ entries: [Entry]) -> Double {
        let shown = entries.filter { !$0.isGone }
        let (left, right) = (shown.filter(\.isLeading), shown.filter { !$0.isLeading })
        let spaces = (left.dropFirst() + right.dropFirst()).reduce(0) { $0 + $1.draft.space }
        let texts = shown.reduce(0) { $0 + $1.draft.width(shownOption($1)) }
        return texts + spaces + (left.isEmpty || right.isEmpty ? 0 : endsGap)
    }

    private func shownOption(_ entry: Entry) -> PieceDraft.Option {
        var option = entry.draft.options[entry.option]
        if let cut = entry.cut { option.text = cut }
        return option
    }

    var leading: [CardPiece] { pieces(true) }
    var trailing: [CardPiece] { pieces(false) }

    /// Returns the pieces without a line at the start, which separates nothing.
    private func pieces(_ isLeading: Bool) -> [CardPiece] {
        let pieces = entries.filter { $0.isLeading == isLeading && !$0.isGone }.map { $0.draft.piece(shownOption($0)) }
        return Array(pieces.drop { $0.shape == .line })
    }
}

extension CardLayout {
    /// The number of lines that a long text may take.
    struct Lines {
        var heading: Int
        var news: Int
        static let fewerAndFewer = [Lines(heading: 2, news: 2), Lines(heading: 2, news: 1), Lines(heading: 1, news: 1)]
    }

    /// Lays out the fullest form of long texts with which no line of them is left out for lack of height, so that a
    /// sentence is cut only where the cut is visible.
    init(_ presentation: Presentation, _ drafts: (Lines) -> [RowDraft]) {
        func lines(_ rows: [[CardPiece.Role]]) -> Int {
            rows.count { !Set($0).isDisjoint(with: [.heading, .lastEvent]) }
        }
        for count in Lines.fewerAndFewer.dropLast() {
            let rows = drafts(count)
            self.init(presentation, rows)
            if lines(self.rows.map { $0.leading.map(\.role) }) == lines(rows.map { $0.leading.map(\.role) }) { return }
        }
        self.init(presentation, drafts(Lines.fewerAndFewer[Lines.fewerAndFewer.count - 1]))
    }

    /// Lays out rows in the place of a presentation. Rows that do not fit into its height are left out, the least
    /// important first.
    init(_ presentation: Presentation, _ drafts: [RowDraft]) {
        let place = CardPlace.of(presentation)
        var kept = drafts.compactMap { draft in
            draft.fitted(place.contentWidth, gap: place.gap).map { (row: $0, keep: draft.keep) }
        }
        func height() -> Double {
            kept.enumerated().reduce(0) { $0 + $1.element.row.height + ($1.offset == 0 ? 0 : $1.element.row.gap) }
        }
        while height() > place.contentHeightMax, let least = kept.indices.min(by: { kept[$0].keep < kept[$1].keep }) {
            kept.remove(at: least)
        }
        var rows = kept.map(\.row)
        if !rows.isEmpty { rows[0].gap = 0 }
        let isIsland = [.compactLeading, .compactTrailing, .minimal].contains(presentation)
        self.init(
            presentation: presentation, width: place.width,
            height: isIsland || presentation == .small
                ? place.heightMax : height() + place.marginAbove + place.marginBelow,
            margin: place.margin, marginAbove: place.marginAbove, marginBelow: place.marginBelow, rows: rows)
    }

    /// Returns a text in up to `lines` lines. The last line has the rest and may be too long.
    static func wrapped(
        _ text: String, lines: Int, size: Double, weight: CardPiece.Weight, width: Double, first indent: Double = 0
    ) -> [String] {
        var result: [String] = []
        var rest = text.split(separator: " ")[...]
        while !rest.isEmpty, result.count < lines - 1 {
            let room = width - (result.isEmpty ? indent : 0)
            var line = ""
            while let word = rest.first {
                let longer = line.isEmpty ? String(word) : line + " " + word
                guard TextWidth.of(longer, size: size, weight: weight) <= room else { break }
                line = longer
                rest.removeFirst()
            }
            guard !line.isEmpty else { break }
            result.append(line)
        }
        if !rest.isEmpty { result.append(rest.joined(separator: " ")) }
        return result
    }
}
