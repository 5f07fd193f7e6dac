import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import StoreBase

/// Sends e-mails through a mail server (RFC 5321), with TLS, and with a password where the server asks for one. Each
/// e-mail has a connection of its own: codes are few, and a server may close an idle connection at any time.
package struct SMTPMessageSender: MessageSender {
  let configuration: MailConfiguration
  let clock: any StoreClock

  /// False: servers do not recognise a second try, even with the same `Message-ID`.
  package var recognisesRepeats: Bool { false }

  package func send(_ message: OutgoingMessage) async throws {
    try await converse { connection in
      try expect(try await connection.command("MAIL FROM:<\(sender)>"), what: "the sender mail.from")
      try expect(try await connection.command("RCPT TO:<\(message.to.text)>"), what: "the receiver")
      try expect(try await connection.command("DATA"), what: "a message")
      let mail = MailText(message: message, from: configuration.from ?? "", date: clock.now())
      let reply: SMTPReply
      do { reply = try await connection.send(mail.text + ".\r\n") } catch {
        throw MessageFailure.unclear("expected the mail server to say whether it took the message, got no answer")
      }
      try expect(reply, what: "the message")
    }
  }

  /// Connects and logs in to the server, and ends where a message would begin.
  package func check() async throws {
    try await converse { connection in
      try expect(try await connection.command("MAIL FROM:<\(sender)>"), what: "the sender mail.from")
    }
  }

  /// The address alone of `Name <address>`.
  private var sender: String { MailText.address(of: configuration.from ?? "") }

  private func converse(_ body: (SMTPConnection) async throws -> Void) async throws {
    do {
      let connection = try await connect()
      defer { connection.close() }
      try await body(connection)
      // The server has accepted the message; a failed QUIT does not matter.
      _ = try? await connection.command("QUIT")
    } catch let failure as MessageFailure {
      throw failure
    } catch let error where error is NIOSSLError || error is NIOSSLExtraError {
      throw MessageFailure.notAccepted(
        "expected a certificate of the mail server that this machine trusts and that names \(configuration.host), "
          + "got \(String(describing: error).prefix { $0 != "(" && $0 != ":" })")
    } catch is NIOConnectionError {
      throw MessageFailure.notAccepted(
        "expected a mail server at \(configuration.host):\(configuration.port), but nothing accepts a connection there")
    } catch {
      throw MessageFailure.notAccepted(
        "expected the mail server's answers in time, got \(error.loggedName)")
    }
  }

  private func connect() async throws -> SMTPConnection {
    let tls = configuration.security == .none ? nil : try context()
    let connection = try await SMTPConnection.open(
      host: configuration.host, port: configuration.port, tls: configuration.security == .tls ? tls : nil,
      timeout: configuration.timeout)
    do {
      try expect(try await connection.greeting(), what: "a connection")
      var abilities = try await hello(connection)
      if configuration.security == .starttls, let tls {
        guard abilities.words(after: "STARTTLS") != nil else {
          throw MessageFailure.notAccepted(
            """
            expected the mail server to offer STARTTLS; with mail.security = "tls" it begins at once, usually on \
            port 465
            """)
        }
        try expect(try await connection.command("STARTTLS"), what: "STARTTLS")
        try await connection.startTLS(tls, host: configuration.host)
        abilities = try await hello(connection)
      }
      try await authenticate(connection, abilities: abilities)
      return connection
    } catch {
      connection.close()
      throw error
    }
  }

  private func hello(_ connection: SMTPConnection) async throws -> SMTPReply {
    let reply = try await connection.command("EHLO \(MailText.domain(of: sender))")
    try expect(reply, what: "EHLO")
    return reply
  }

  private func authenticate(_ connection: SMTPConnection, abilities: SMTPReply) async throws {
    guard let user = configuration.user, let password = configuration.password else { return }
    guard abilities.words(after: "AUTH")?.contains("PLAIN") == true else {
      throw MessageFailure.notAccepted("expected the mail server to offer AUTH PLAIN for mail.user")
    }
    let secret = Data("\0\(user)\0\(password.value)".utf8).base64EncodedString()
    let reply = try await connection.command("AUTH PLAIN \(secret)")
    guard reply.code == 235 else {
      throw MessageFailure.notAccepted(
        "expected the mail server to take mail.user with mail.password, got \(reply.code)")
    }
  }

  private func context() throws -> NIOSSLContext {
    var settings = TLSConfiguration.makeClientConfiguration()
    settings.minimumTLSVersion = .tlsv12
    if let file = configuration.trustedCertificates { settings.trustRoots = .file(file) }
    return try NIOSSLContext(configuration: settings)
  }

  /// Throws unless a reply is positive. A 4xx may succeed later, a 5xx will not (RFC 5321, 4.2.1). The server's text is
  /// left out, since it may repeat the address.
  private func expect(_ reply: SMTPReply, what: String) throws {
    guard !reply.isGood else { return }
    let text = "expected the mail server to take \(what), got \(reply.code)"
    throw reply.code >= 500 && what.hasPrefix("the ") && !what.hasPrefix("the sender")
      ? MessageFailure.refused(text) : MessageFailure.notAccepted(text)
  }
}
