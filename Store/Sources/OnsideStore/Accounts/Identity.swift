public import Foundation

/// What a person logs in with, once they have proved that it is theirs.
public enum Identity: Sendable, Hashable {
  /// A phone number or e-mail address, proved by a code.
  case contact(Contact)
  /// Somebody else's word.
  case federated(FederatedIdentity)

  /// The one text that stands for it in the tables.
  var text: String {
    switch self {
    case .contact(let contact): contact.text
    case .federated(let identity): "\(identity.kind.rawValue) \(identity.issuer) \(identity.subject)"
    }
  }

  /// Reads what ``text`` gave; nil for anything else. Neither a number nor an address has a space.
  init?(stored: String) {
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

/// A person as somebody outside the store knows them. Whoever vouches is part of it: the same subject of another issuer is
/// somebody else.
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
  /// Who vouches, exactly as they name themselves.
  public let issuer: String
  /// Whom they vouch for, in their own words.
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
  /// Who vouches; never whom for.
  public var description: String { "\(kind.rawValue) \(issuer)" }
  /// Who vouches; never whom for.
  public var debugDescription: String { description }
  /// Who vouches; never whom for.
  public var customMirror: Mirror { Mirror(self, children: ["issuer": description]) }
}

/// An identity that has been proved.
public struct ProvedIdentity: Sendable, Hashable {
  /// What was proved.
  public let identity: Identity
  /// What tells it from others of the same issuer, masked; nil where the issuer says nothing.
  public let label: String?
  /// When it was proved.
  public let provedAt: Date

  /// What is shown of it to whoever may not be its owner.
  var masked: String {
    switch identity {
    case .contact(let contact): contact.masked
    case .federated(let federated): label ?? URL(string: federated.issuer)?.host() ?? federated.issuer
    }
  }
}
