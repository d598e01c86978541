/// The step at which the deletion of an account failed.
public enum AccountDeletionError: Error, Hashable, Sendable {
    /// The backend deleted nothing. The activities on this phone have ended; the backend starts them again when the app
    /// next runs.
    case backend(APIError)
    /// The backend has deleted everything, and the user is still in the pool and can sign in.
    case pool(AuthError)
}
