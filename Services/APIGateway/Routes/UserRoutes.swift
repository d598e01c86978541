import SightscreenModels
import Store
import Tokens

/// The calls to export and to delete what is stored about a user.
struct UserRoutes: Sendable {
    let accounts: AccountStore
    let deleted: DeletedAccounts
    let notifier: any CoordinatorNotifier
    let security: SecurityLog
    private let exports = ExportSlots()

    init(
        accounts: AccountStore, deleted: DeletedAccounts, notifier: any CoordinatorNotifier, security: SecurityLog
    ) {
        self.accounts = accounts
        self.deleted = deleted
        self.notifier = notifier
        self.security = security
    }

    var routes: [Route] {
        [
            Route(
                "GET", "/user/data", .users,
                Operation(
                    id: "exportUserData", summary: "Everything that is kept about the user.", tag: .user,
                    answer: .ok("UserData", "As it was at one moment."), limit: .privacy), export),
            Route(
                "DELETE", "/user", .users,
                Operation(
                    id: "deleteUser", summary: "Delete the user: Live Activities end, everything is erased.",
                    tag: .user,
                    answer: .nothing("It is deleted here; tokens issued before are refused from now on."),
                    limit: .privacy, isOpenToTheDeleted: true), delete),
        ]
    }

    @Sendable private func export(_ request: GatewayRequest) async throws -> Reply {
        let user = try request.user
        return try await exports.reply(to: user) { try Reply.json(try await accounts.export(user)) }
    }

    @Sendable private func delete(_ request: GatewayRequest) async throws -> Reply {
        let user = try request.user
        guard case .user(let claims)? = request.caller else { throw Problem.unauthorized("there is no bearer token") }
        let deletion = try await accounts.delete(user, tokenIssuedAt: claims.issuedAt)
        // Also for one that is repeated: the gateway may have died before it wrote the line of the first.
        security.note(.accountDeleted, account: user)
        deleted.note(user, at: deletion.deletedAt)
        await notifier.notify(of: deletion.changedMatches)
        return .noContent
    }
}
