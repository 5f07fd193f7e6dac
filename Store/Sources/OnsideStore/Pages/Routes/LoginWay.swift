import Hummingbird

/// One more way to log in, beside codes. Its link stands on the login page, and what it proves is an
/// ``Identity/federated(_:)``. The routes that it needs beside are its own: they find their login with
/// ``LoginRoutes/attempt(_:_:)`` and hand over what they have proved with ``LoginRoutes/take(_:_:_:)``.
protocol LoginWay: Sendable {
  /// Names it in addresses: lower-case letters, digits and dashes.
  var id: String { get }
  /// What it is called where a person's ways to log in are listed.
  func name(_ texts: Texts) -> String
  /// What its link says.
  func label(_ texts: Texts) -> String
  /// Whether it is the way that proved an identity.
  func proves(_ identity: FederatedIdentity) -> Bool
  /// Answers whoever has chosen it, with a page or by sending the browser on.
  func begin(_ attempt: LoginAttempt, _ visit: PageVisit) async throws -> Response
}

extension Texts {
  /// What kind of identity it is: a way's name, or the issuer where the store does not offer the way any more.
  func name(_ identity: Identity, _ ways: [any LoginWay]) -> String {
    switch identity {
    case .contact(.phone): self[.loginsPhone]
    case .contact(.email): self[.loginsEmail]
    case .federated(let federated): ways.first { $0.proves(federated) }?.name(self) ?? federated.issuer
    }
  }
}
