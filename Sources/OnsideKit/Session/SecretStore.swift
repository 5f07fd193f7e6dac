/// A place of the system for secrets, which keeps the key that seals the session's tokens on disk: the Secret Service of
/// a Linux desktop, the keychain of an Apple system.
///
/// What lies there outlives the app's folder. So each secret names the installation that it belongs to, and
/// ``TokenSeal`` lets nobody have another one's.
///
/// Every call ends, also when the place hangs or waits for its user; it may take as long as a user needs only where it
/// is told that it may ask.
package protocol SecretStore: Sendable {
  /// What the log calls it.
  var name: String { get }
  /// Whether a secret could be kept there now, without a question to the user; throws why not.
  func check() async throws(SecretStoreFailure)
  /// The installations that have a secret for this app and folder, locked away or not.
  func installations(of owner: SecretOwner) async throws(SecretStoreFailure) -> Set<String>
  /// The secret of an installation; nil when there is none, and never because it cannot be read.
  /// - Parameter mayAsk: whether the user may be asked to unlock the place.
  func secret(
    of installation: String, _ owner: SecretOwner, mayAsk: Bool
  ) async throws(SecretStoreFailure) -> [UInt8]?
  /// Keeps a secret, in the place of one that the installation had before.
  func keep(_ secret: [UInt8], of installation: String, _ owner: SecretOwner) async throws(SecretStoreFailure)
  /// Removes the secret of an installation, if there is one.
  func remove(_ installation: String, of owner: SecretOwner) async throws(SecretStoreFailure)
}

/// Whose secrets they are.
package struct SecretOwner: Hashable, Sendable {
  /// The app's identifier.
  package let app: String
  /// The app's storage folder, an absolute path. Where the system gives each installation another one it says nothing.
  package let folder: String

  package init(app: String, folder: String) {
    self.app = app
    self.folder = folder
  }
}

/// Why a place for secrets did not do what it was asked: it is missing, locked, or does not answer. It never means that
/// there is no such secret.
package struct SecretStoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried and what came of it.
  package let description: String

  package init(_ description: String) { self.description = description }
}
