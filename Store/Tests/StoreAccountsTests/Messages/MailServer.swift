import Foundation
import StoreBase
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import StoreAccounts

/// A real mail server (aiosmtpd, a Debian package) with a certificate of its own.
struct MailServer {
  static let python = ChildServer.path("/usr/bin/python3")
  static let openssl = ChildServer.path("/usr/bin/openssl")
  static var isHere: Bool {
    python != nil && openssl != nil && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/aiosmtpd")
  }

  struct Mail: Decodable {
    let from: String
    let to: String
    let tls: String
    let user: String
    let content: String
  }

  let folder: TemporaryFolder
  let child: ChildServer
  let port: Int
  let security: MailConfiguration.Security

  init(_ security: MailConfiguration.Security) async throws {
    folder = try TemporaryFolder()
    self.security = security
    let (certificate, key) = (folder.file("certificate.pem"), folder.file("key.pem"))
    let maker = try ChildServer(
      try #require(Self.openssl),
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
      ], output: folder.file("openssl"))
    try await maker.end()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "mailserver.py").path
    child = try ChildServer(
      try #require(Self.python), arguments: [script, certificate, key, security.rawValue], output: folder.file("mail"))
    port = try #require(Int(try await child.line(0)))
  }

  func sender(_ change: (inout MailConfiguration) -> Void = { _ in }) -> SMTPMessageSender {
    var configuration = MailConfiguration()
    configuration.sender = .smtp
    configuration.port = port
    configuration.security = security
    configuration.from = "Onside Läden <codes@store.example>"
    configuration.trustedCertificates = folder.file("certificate.pem")
    configuration.timeout = .seconds(60)
    if security != .none {
      configuration.user = "codes"
      configuration.password = ConfigurationSecret("s3cret")
    }
    change(&configuration)
    return SMTPMessageSender(configuration: configuration, clock: ManualClock())
  }

  /// The message of a number, from 0.
  func mail(_ number: Int) async throws -> Mail {
    try JSONDecoder().decode(Mail.self, from: Data(try await child.line(number + 1).utf8))
  }

  var count: Int { child.lines.count - 1 }
}
