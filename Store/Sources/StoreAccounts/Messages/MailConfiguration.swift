import Foundation
public import StoreBase

/// The configuration of e-mail.
public struct MailConfiguration: Sendable, Hashable {
  /// The kinds of sender.
  public enum Sender: String, Sendable, CaseIterable {
    /// None: e-mail addresses are not offered for logins.
    case none
    /// Standard output, which is for development only.
    case console
    /// A mail server.
    case smtp
  }

  /// The encryption of the connection.
  public enum Security: String, Sendable, CaseIterable {
    /// In the clear at first, then TLS; without TLS nothing is sent.
    case starttls
    /// TLS from the beginning.
    case tls
    /// Not at all: for a server on this machine.
    case none
  }

  /// The sender.
  public var sender: Sender = .none
  /// The mail server.
  public var host = "localhost"
  /// Its port.
  public var port = 587
  /// The encryption of the connection.
  public var security: Security = .starttls
  /// The user name, when the server wants one.
  public var user: String?
  /// The password.
  public var password: ConfigurationSecret?
  /// The sender's address: `codes@store.example` or `Store <codes@store.example>`.
  public var from: String?
  /// A PEM file with the certificates to trust instead of the system's.
  public var trustedCertificates: String?
  /// How long a try may take.
  public var timeout: Duration = .seconds(20)

  /// The default: none.
  public init() {}
}

extension MailConfiguration {
  /// Throws if the mail server's keys do not go together.
  package func check() throws(ConfigurationError) {
    guard sender == .smtp else { return }
    if let file = trustedCertificates, !FileManager.default.isReadableFile(atPath: file) {
      throw .needed(name: "mail.trusted_certificates", reason: "expected a file that can be read, got \(file)")
    }
    guard from != nil else { throw .needed(name: "mail.from", reason: "every e-mail needs a sender address") }
    guard (user == nil) == (password == nil) else {
      throw .needed(name: "mail.password", reason: "it and mail.user go together")
    }
    guard user == nil || security != .none else {
      throw .needed(name: "mail.security", reason: "mail.password would go over the wire in the clear")
    }
  }
}
