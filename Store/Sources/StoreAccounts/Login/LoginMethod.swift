package import Hummingbird
package import StoreWeb

/// A login method besides one-time codes, such as an OpenID provider. The login page links to it, and it proves an
/// ``Identity/federated(_:)``. It adds the other routes that it needs itself: they find their login with
/// ``LoginRoutes/attempt(_:for:)`` and pass the proved identity to ``LoginRoutes/take(_:attempt:visit:)``.
package protocol LoginMethod: Sendable {
  /// The method's id in addresses: lower-case letters, digits and dashes.
  var id: String { get }
  /// The method's name in the list of an account's login methods.
  func name(_ texts: Texts) -> String
  /// The text of its link on the login page.
  func label(_ texts: Texts) -> String
  /// Whether this method proved the identity.
  func proves(_ identity: FederatedIdentity) -> Bool
  /// Handles the request of a user who has chosen the method, with a page or a redirect.
  func begin(_ attempt: LoginAttempt, for visit: PageVisit) async throws -> Response
}

extension Texts {
  /// The kind of an identity: its login method's name, or the issuer when the store no longer offers the method.
  package func name(_ identity: Identity, methods: [any LoginMethod]) -> String {
    switch identity {
    case .contact(.phone): self[.loginsPhone]
    case .contact(.email): self[.loginsEmail]
    case .federated(let federated): methods.first { $0.proves(federated) }?.name(self) ?? federated.issuer
    }
  }
}
