public import Foundation

/// An identity that a person logs in with: a phone number, an e-mail address, or an account at an external issuer.
public enum Identity: Sendable, Hashable {
  /// A phone number or e-mail address, proved by a code.
  case contact(Contact)
  /// An identity that an external issuer vouches for.
  case federated(FederatedIdentity)

  /// The stored form of the identity, unique in the tables.
  package var text: String {
    switch self {
    case .contact(let contact): contact.text
    case .federated(let identity): "\(identity.kind.rawValue) \(identity.issuer) \(identity.subject)"
    }
  }

  /// Parses a value of ``text``; nil for anything else. Neither a number nor an address has a space.
  package init?(stored: String) {
    let parts = stored.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    if parts.count == 3 {
      guard let identity = FederatedIdentity(kind: .init(parts[0]), issuer: parts[1], subject: parts[2]) else {
        return nil
      }
      self = .federated(identity)
    } else {
      guard let contact = Contact(stored: stored) else { return nil }
      self = .contact(contact)
    }
  }

  var contact: Contact? {
    if case .contact(let contact) = self { contact } else { nil }
  }
}

/// A federated identity: the subject that an external issuer vouches for. The issuer is part of it: the same subject at
/// another issuer is another person.
public struct FederatedIdentity: Sendable, Hashable {
  /// How it is proved.
  public struct Kind: Sendable, Hashable {
    let rawValue: String

    init(_ rawValue: String) { self.rawValue = rawValue }

    /// By a provider that speaks OpenID Connect.
    public static let openID = Kind("openid")
  }

  /// How it is proved.
  public let kind: Kind
  /// The issuer's identifier, exactly as the issuer writes it.
  public let issuer: String
  /// The issuer's identifier for the person.
  public let subject: String

  /// Nil when kind or issuer are empty or hold spaces, or the subject is empty or has more than 255 bytes (OpenID
  /// Connect Core, section 2).
  init?(kind: Kind, issuer: String, subject: String) {
    guard !kind.rawValue.isEmpty, !issuer.isEmpty, !kind.rawValue.contains(" "), !issuer.contains(" "),
      (1...255).contains(subject.utf8.count)
    else { return nil }
    (self.kind, self.issuer, self.subject) = (kind, issuer, subject)
  }
}

extension FederatedIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind and the issuer, never the subject.
  public var description: String { "\(kind.rawValue) \(issuer)" }
  /// The kind and the issuer, never the subject.
  public var debugDescription: String { description }
  /// The kind and the issuer, never the subject.
  public var customMirror: Mirror { Mirror(self, children: ["issuer": description]) }
}

/// An identity that has been proved.
public struct ProvedIdentity: Sendable, Hashable {
  /// The identity.
  public let identity: Identity
  /// A masked label that distinguishes it from others of the same issuer; nil where the issuer gives none.
  public let label: String?
  /// When it was proved.
  public let provedAt: Date

  /// The masked identity, for readers who may not be its owner.
  package var masked: String {
    switch identity {
    case .contact(let contact): contact.masked
    case .federated(let federated): label ?? URL(string: federated.issuer)?.host() ?? federated.issuer
    }
  }
}
