/// The system's secret storage, which keeps the key that encrypts the session's tokens on disk: the Secret Service of a
/// Linux desktop, the keychain of an Apple system.
///
/// A secret outlives the app's folder. So each secret names the installation that it belongs to, and ``TokenSeal`` uses
/// only the secret of its own installation.
///
/// Every call ends, also when the secret storage hangs or waits for its user; only a call that may ask the user takes
/// as long as the user needs.
package protocol SecretStore: Sendable {
  /// Its name in the log.
  var name: String { get }
  /// Checks that a secret could be stored now, without a question to the user; throws the reason why not.
  func check() async throws(SecretStoreFailure)
  /// The installations that have a secret for this app and folder, locked away or not.
  func installations(of owner: SecretOwner) async throws(SecretStoreFailure) -> Set<String>
  /// The secret of an installation; nil when there is none, and never because it cannot be read.
  /// - Parameter mayAsk: whether the user may be asked to unlock the secret storage.
  func secret(
    of installation: String, _ owner: SecretOwner, mayAsk: Bool
  ) async throws(SecretStoreFailure) -> [UInt8]?
  /// Stores a secret and replaces the one that the installation had before.
  func keep(_ secret: [UInt8], of installation: String, owner: SecretOwner) async throws(SecretStoreFailure)
  /// Removes the secret of an installation, if there is one.
  func remove(_ installation: String, of owner: SecretOwner) async throws(SecretStoreFailure)
}

/// The app and storage folder that secrets belong to.
package struct SecretOwner: Hashable, Sendable {
  /// The app's identifier.
  package let app: String
  /// The app's storage folder, an absolute path. Not significant where the system gives each
  /// installation another one.
  package let folder: String

  package init(app: String, folder: String) {
    self.app = app
    self.folder = folder
  }
}

/// Why the secret storage failed: it is missing, locked, or does not answer. It never means that there is no such
/// secret.
package struct SecretStoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried and what came of it.
  package let description: String

  package init(_ description: String) { self.description = description }
}
