import Testing

/// Values reach PostgreSQL as parameters: what is put together into a statement is text that stands in the sources.
@Suite struct SQLTests {
    /// Names of constants, parameters and members that are interpolated into SQL, by file. Each was followed to where
    /// its text is written down, or is a number: columns, conditions, statements, placeholders such as `$1`. A new one
    /// is for whoever adds it to follow.
    static let names: [String: Set<String>] = [
        "Shared/Postgres/Listener.swift": ["name"],
        "Services/APIGateway/Store/AccountStore.swift": ["refusalMargin", "user"],
        "Shared/Store/AccountErasure.swift": ["ChannelSQL.hasCard()"],
        "Services/LACoordinator/Store/ActivityStore+Fallback.swift": ["cardColumns", "heldShards"],
        "Services/LACoordinator/Store/ActivityStore+Roster.swift": ["pageRows"],
        "Services/LACoordinator/Store/ActivityStore+Starts.swift": [
            "attempts", "candidates", "change", "claim.isRenewal ? Self.renewalIsDueAgain : Self.noneIsOut",
            "columns.also", "columns.attempts", "columns.channel", "columns.id", "columns.isFree", "columns.leaseUntil",
            "columns.waits", "columns.mayBeOut",
            "channel", "columns.sentAt", "columns.status", "columns.waitsSince", "condition", "isStarted", "leaseUntil",
            "part", "status",
        ],
        "Services/LACoordinator/Store/ActivityStore.swift": ["match", "tokenAt"],
        "Services/LACoordinator/Store/ChannelStore.swift": [
            "condition", "first", "first + 1", "first + 2", "first + 3",
        ],
        "Shared/Store/ChannelSQL.swift": [
            "alerts", "audience", #"audience("\(follow).alerts")"#, "device", "isCurrent(row)", "match",
            #"match ?? "la.match_id""#, "row",
        ],
        "Services/APIGateway/Store/ActivityTokenBatch.swift": ["columns"],
        "Services/APIGateway/Store/ActivityTokenStore+SQL.swift": [
            "condition", "followedAt", "formerHash(key)", "key", "recordsMax", "rotation", "row", "source",
            "startIsOut", "wasFormer",
        ],
        "Services/APIGateway/Store/ActivityTokenStore.swift": ["columnsOfPhone", "recordsMax"],
        "Services/APIGateway/Store/ActivityTokenWrite.swift": ["assignments"],
        "Shared/Store/BadTokenSQL.swift": ["isBad", "retirement", "row", "window"],
        "Shared/Store/FixtureSQL.swift": ["isOneOf(\\.isInPlay, status)", "word(status)"],
        "Shared/Store/HoldStore.swift": ["everywhere"],
        "Services/OperatorTool/Store/InspectStore+MatchSQL.swift": ["cap", "isGivenUp", "isLeased"],
        "Services/OperatorTool/Store/InspectStore+Phones.swift": ["condition"],
        "Services/OperatorTool/Store/InspectStore.swift": [
            #"StartBudget.thisHour("other.device_id = \(device)")"#, "column", "device", "table", "user",
        ],
        "Shared/Store/LeaseGuard.swift": ["epoch", "name"],
        "Shared/Store/LostTimeSQL.swift": ["match"],
        "Services/OperatorTool/Store/ErasureStore.swift": ["table"],
        "Services/MatchEventBus/Store/MatchStore.swift": ["hasRoom", "matchesMax"],
        "Shared/Store/Migrator.swift": ["migration.checksum", "migration.name", "migration.sql"],
        "Shared/Store/MissingCardSQL.swift": ["device", "isAbsent", "match", "row", "user"],
        "Services/MatchOrchestrator/Store/OrchestratorStore+Channels.swift": ["mark"],
        "Services/MatchOrchestrator/Store/OrchestratorStore+Ends.swift": [
            "dismissal", "hold", "page", "picking", "reason", "telling",
        ],
        "Services/MatchOrchestrator/Store/OrchestratorStore+Erasure.swift": [
            "askedHours", "columns", "condition", "endPushHours", "row", "same", "table",
        ],
        "Services/MatchOrchestrator/Store/OrchestratorStore+Expiry.swift": [
            "columns", "condition", "isUnseen", "same", "table",
        ],
        "Services/MatchOrchestrator/Store/OrchestratorStore+Fallback.swift": ["isInQuestion"],
        "Shared/Store/PhoneClaimSQL.swift": [
            "deleted", "key", "lifetime", "pushesMax", "refusal", "row", "validity", "wasSent(row)",
        ],
        "Shared/Store/ReportedGenerationSQL.swift": ["device", "match", "row", "user"],
        "Shared/Store/StartBudget.swift": ["attempts", "ofPhone", "row", "sentAt"],
        "Shared/Store/StartFallbackSQL.swift": ["followLasts", "hashes", "key", "keys", "match", "row"],
        "Shared/Store/TokenEncryption.swift": [
            "$0", "$0 + 2", "$1.name", "$1.type", "column.also", "column.name", "column.table", "from",
            #"last == nil ? "" : " AND (\(names)) > (\(from))""#, "names", "texts",
        ],
        "Shared/Store/TokenVault.swift": ["column", "parameter"],
        "Services/APIGateway/Store/PhoneClaims.swift": ["row", "tokensMax"],
        "Services/APIGateway/Store/DeviceStore.swift": ["mayBeTaken"],
        "Services/LACoordinator/Store/DeadTokenSQL.swift": ["registered", "since"],
        "Services/APIGateway/Store/TokenKind.swift": ["column", "isProven", "taken"],
        "Services/APIGateway/Store/UserDevices+Room.swift": ["unseenDays"],
        "Services/APIGateway/Store/UserDevices.swift": ["seenInterval", "user"],
        "Services/APIGateway/Store/UserExport.swift": ["$0"],
        "Services/APIGateway/Store/UserTransaction.swift": ["text"],
    ]

    private static let files = SourceTree.swift.filter { file in
        file.parts.first == "Services" || file.path.hasPrefix("Shared/")
    }

    @Test func onlyTextOfTheSourcesIsInterpolatedIntoSQL() {
        var seen: [String: Set<String>] = [:]
        for file in Self.files {
            for found in SQLTexts.interpolations(in: file) where !Self.isWrittenDown(found.expression) {
                seen[file.path, default: []].insert(found.expression)
                #expect(
                    Self.names[file.path]?.contains(found.expression) == true,
                    "\(file.path):\(found.line): \(found.expression) in SQL is not known to be text of the sources")
            }
        }
        for (file, names) in Self.names {
            #expect(names == seen[file], "\(file): the list has names that are not in use")
        }
    }

    /// Lives are tested on a virtual time, which lies in functions before PostgreSQL's own: a keyword is no function,
    /// and what tells when a transaction began stands still for its length.
    @Test func theTimeIsAskedByFunctionsThatAVirtualTimeReplaces() {
        let others = [
            "current_timestamp", "current_time", "current_date", "localtimestamp", "localtime", "transaction_timestamp",
            "timeofday",
        ]
        for file in SourceTree.text where file.path.hasPrefix("Shared/") || file.path.hasPrefix("Services/") {
            guard file.path.hasSuffix(".swift") || file.path.hasSuffix(".sql") else { continue }
            for (number, line) in file.lines.enumerated() {
                let words = line.lowercased().split { !($0.isLetter || $0 == "_") }
                for other in others where words.contains(Substring(other)) {
                    Issue.record("\(file.path):\(number + 1): \(other); ask clock_timestamp()")
                }
            }
        }
    }

    /// Limits of starts are `StartPolicy`'s and `StartFallback`'s; a statement has them by name. One is in the words of
    /// an index, which has to have the number.
    @Test func noStatementHasALimitOfStartsOfItsOwn() {
        let counts = ["this_hour", "this_day", "user_day", "start_attempts", "renewal_attempts"]
        var found: [String] = []
        for file in Self.files {
            for line in file.lines where !line.contains("///") {
                let words = line.split(separator: " ")
                for (word, (sign, number)) in zip(words, zip(words.dropFirst(), words.dropFirst(2))) {
                    let name = word.split { !($0.isLetter || $0 == "_") }.last ?? ""
                    guard counts.contains(String(name)), ["<", "<=", ">", ">="].contains(sign),
                        let limit = Int(number.prefix { $0.isNumber }), limit > 1
                    else { continue }
                    found.append("\(file.path) \(name) \(sign) \(limit)")
                }
            }
        }
        #expect(
            found == ["Services/MatchOrchestrator/Store/OrchestratorStore+Fallback.swift start_attempts >= 2"])
    }

    @Test func whatComesFromOutsideIsFound() {
        let file = SourceTree.File(
            path: "x.swift",
            lines: ##"""
                // "SELECT \(comment)"
                let a = "SELECT 1 FROM devices WHERE user_id = '\(user)'"
                let b = """
                    UPDATE devices SET \(Self.columns), os_version = \(LiveMatch.text("$1")) \(request.text(name))
                    """
                log("Cannot read \(name): \(error)")
                let c = "LISTEN \"\(channel)\" \(f("SELECT \(inner)"))"
                let d = #"DELETE FROM x WHERE y = \#(raw) AND \(none)"#
                """##.split(separator: "\n", omittingEmptySubsequences: false))
        let found = SQLTexts.interpolations(in: file).filter { !Self.isWrittenDown($0.expression) }
        #expect(
            Set(found.map { "\($0.line) \($0.expression)" }) == [
                "2 user", "4 request.text(name)", "7 channel", #"7 f("SELECT \(inner)")"#, "7 inner", "8 raw",
            ])
    }

    @Test(arguments: [
        ("Self.columns", true), ("StartPolicy.triesMax", true), (#"AdvisoryLock.user("$1")"#, true),
        ("LeaseGuard.sql(name: 1, epoch: 2)", true), (#"seconds("created_at", of: "a")"#, true), ("user", false),
        ("request.name", false), ("Self.columns(of: table)", false), (#"Self.text("a" + name)"#, false),
        (#"Self.text("\(name)")"#, false), ("Self.rows[0]", false), ("self.name", false), ("String(name)", false),
    ])
    func aConstantOfATypeOrACallWithTextIsWrittenDown(_ expression: String, _ isWrittenDown: Bool) {
        #expect(Self.isWrittenDown(expression) == isWrittenDown)
    }

    /// A static member (`Self.columns`), a number, a text, or a call with nothing else: by its form alone.
    static func isWrittenDown(_ expression: String) -> Bool {
        if !expression.isEmpty, expression.allSatisfy({ $0.isASCII && $0.isNumber }) { return true }
        if expression.count >= 2, expression.first == "\"", expression.last == "\"" {
            return !expression.dropFirst().dropLast().contains { $0 == "\"" || $0 == "\\" }
        }
        guard let open = expression.firstIndex(of: "(") else {
            return expression.first?.isUppercase == true && expression.contains(".") && isPath(expression)
        }
        guard expression.last == ")", isPath(expression[..<open]) else { return false }
        let arguments = expression[expression.index(after: open)...].dropLast()
        return arguments.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { argument in
            let value =
                argument.split(separator: ":", maxSplits: 1).count == 2 && !argument.contains("\"")
                    || argument.contains(": \"")
                ? argument[argument.index(after: argument.firstIndex(of: ":") ?? argument.startIndex)...]
                : argument[...]
            return isWrittenDown(String(value.drop { $0 == " " }))
        }
    }

    private static func isPath(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    }
}
