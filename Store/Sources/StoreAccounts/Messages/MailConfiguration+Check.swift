import Foundation
package import StoreBase

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
