import SightscreenClient
import SwiftUI

/// The account. An app that creates accounts must offer their deletion (App Review Guideline 5.1.1(v)).
struct SettingsView: View {
    let services: AppServices
    @State private var asksForDeletion = false
    @State private var deletionFailed = false

    var body: some View {
        Form {
            if let user = services.auth.currentUser { Text(verbatim: user.email) }
            Button("Allow notifications") { Task { _ = await services.notifications.requestPermission() } }
            Button("Sign out") { Task { await services.bootstrap.signOut() } }
            Button("Delete account", role: .destructive) { asksForDeletion = true }
            if deletionFailed { Text("The account could not be deleted. Try again later.") }
        }
        .confirmationDialog(
            "Delete the account and everything that belongs to it?", isPresented: $asksForDeletion,
            titleVisibility: .visible
        ) {
            Button("Delete account", role: .destructive) { Task { await deleteAccount() } }
        }
    }

    private func deleteAccount() async {
        do { try await services.bootstrap.deleteAccount() } catch { deletionFailed = true }
    }
}
