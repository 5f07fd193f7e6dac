import Foundation
import NIOCore
import StoreBase
import Testing

@testable import StoreAccounts

@Suite(
  "Codes by e-mail", .timeLimit(.minutes(10)),
  .enabled(if: MailServer.isHere, "python3-aiosmtpd or openssl is missing: script/setup"))
struct SMTPTests {
  private static func message(_ to: String = "Ann@example.org") throws -> OutgoingMessage {
    OutgoingMessage(
      id: "m-1", to: .email(try EmailAddress(parsing: to)), code: "012345", subject: "012345 هو رمزك في Onside",
      text: "012345 هو رمزك.\n.\nEnde")
  }

  @Test(
    "A mail server takes a code over TLS with a password, or without either",
    arguments: MailConfiguration.Security.allCases)
  func taken(security: MailConfiguration.Security) async throws {
    let server = try await MailServer(security)
    try await server.sender().check()
    try await server.sender().send(try Self.message())
    let mail = try await server.mail(0)
    #expect(mail.from == "codes@store.example" && mail.to == "ann@example.org")
    #expect(mail.tls == (security == .none ? "no" : "yes") && mail.user == (security == .none ? "" : "codes"))
    let parts = mail.content.replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1)
    #expect(parts[0].contains("Message-ID: <m-1@store.example>\n"))
    #expect(parts[0].contains("Date: Thu, 28 May 2026 20:26:40 +0000\n"))
    #expect(
      parts[0].contains("From: =?utf-8?B?\(Data("Onside Läden".utf8).base64EncodedString())?= <codes@store.example>"))
    #expect(parts[0].contains("Subject: =?utf-8?B?"))
    let body = Data(base64Encoded: String(parts[1]), options: .ignoreUnknownCharacters)
    #expect(body.map { String(decoding: $0, as: UTF8.self) } == "012345 هو رمزك.\n.\nEnde\r\n")
    #expect(server.count == 1)
  }

  @Test("A mail server's 550 is a refusal, its 452 a failure to try again, and a lost connection an unclear outcome")
  func refusals() async throws {
    let server = try await MailServer(.none)
    let sender = server.sender()
    await #expect(throws: MessageFailure.refused("expected the mail server to take the receiver, got 550")) {
      try await sender.send(try Self.message("gone@example.org"))
    }
    await #expect(throws: MessageFailure.notAccepted("expected the mail server to take the receiver, got 452")) {
      try await sender.send(try Self.message("full@example.org"))
    }
    let error = await #expect(throws: MessageFailure.self) {
      try await sender.send(try Self.message("hangup@example.org"))
    }
    guard case .unclear = error else {
      Issue.record("expected an unclear outcome, got \(String(describing: error))")
      return
    }
  }

  @Test("A wrong password, a strange certificate, a wrong name and a server without TLS are told, and nothing is sent")
  func misconfigured() async throws {
    let server = try await MailServer(.starttls)
    let plain = try await MailServer(.none)
    let cases: [(SMTPMessageSender, String)] = [
      (server.sender { $0.password = ConfigurationSecret("wrong") }, "mail.user with mail.password, got 535"),
      (server.sender { $0.trustedCertificates = nil }, "a certificate of the mail server that this machine trusts"),
      (server.sender { $0.host = "127.0.0.1" }, "a certificate of the mail server that this machine trusts"),
      (plain.sender { $0.security = .starttls }, "offer STARTTLS"),
    ]
    for (sender, said) in cases {
      let error = await #expect(throws: MessageFailure.self) { try await sender.check() }
      #expect(error?.description.contains(said) == true, "\(String(describing: error))")
      let sending = await #expect(throws: MessageFailure.self) { try await sender.send(try Self.message()) }
      guard case .notAccepted = sending else {
        Issue.record("expected a failure that can be tried again")
        continue
      }
    }
    #expect(server.count == 0 && plain.count == 0)
  }

  @Test("What came in the clear before TLS is not taken for the server's word (STARTTLS injection)")
  func replies() throws {
    var parser = SMTPReplyParser()
    parser.add(ByteBuffer(string: "250-localhost\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n220 ready\r\n250 inj"))
    let hello = try #require(try parser.next())
    #expect(
      hello.code == 250 && hello.words(after: "STARTTLS") == [] && hello.words(after: "AUTH") == ["PLAIN", "LOGIN"])
    let next = try parser.next()
    #expect(next == SMTPReply(code: 220, lines: ["ready"]))
    let rest = try parser.next()
    #expect(rest == nil)
    #expect(!parser.isEmpty)
    for rubbish in ["HTTP/1.1 400 Bad Request\r\n", String(repeating: "2", count: 3000)] {
      var parser = SMTPReplyParser()
      parser.add(ByteBuffer(string: rubbish))
      #expect(throws: MessageFailure.self) { _ = try parser.next() }
    }
  }
}
