import Foundation
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

/// Debian's Kannel with its fake SMSC: what arrives there would be on its way to a phone.
@Suite(
  "Codes through Kannel", .timeLimit(.minutes(10)),
  .enabled(if: Kannel.isHere, "kannel or kannel-extras is missing: script/setup"))
struct KannelTests {
  @Test("A code that is asked for on the page arrives at the SMSC, once, in any script")
  func arrives() async throws {
    let kannel = try await Kannel()
    let store = try await LoginStore(sender: kannel.sender())
    try await kannel.sender().check()
    for (language, phone) in [(Language.german, "+31612345689"), (.arabic, "+31612345680")] {
      let attempt = try await store.logins.begin(.web(next: "/"), browser: phone, language: language)
      let outcome = try await store.logins.sendCode(
        attempt, to: .phone(try PhoneNumber(parsing: phone)), source: CodeSource(device: phone, network: "n"))
      #expect(outcome == .sent)
      await store.messages.deliverDue()
      await store.messages.deliverDue()
    }
    let first = try await kannel.message(1)
    #expect(
      first.hasPrefix("<Onside +31612345689 text ") && first.contains("ist dein Code für Onside. Er gilt 10 Minuten."))
    let second = try await kannel.message(2)
    #expect(second.hasPrefix("<Onside +31612345680 ucs-2 "))
    #expect(kannel.count == 2)
    let rows = try await store.store.core.dependencies.database.read {
      try $0.rows("SELECT id FROM one_time_codes WHERE delivered_at IS NOT NULL")
    }
    #expect(rows.count == 2)
  }

  @Test("A wrong password is told by check, keeps the code waiting, and is in no text")
  func password() async throws {
    let kannel = try await Kannel()
    let sender = kannel.sender { $0.password = ConfigurationSecret("hush") }
    let error = await #expect(throws: MessageFailure.self) { try await sender.check() }
    #expect(error?.description.contains("messages.password, got 403") == true)
    let message = OutgoingMessage(
      id: "1", to: .phone(try PhoneNumber(parsing: "+31612345689")), code: "012345", subject: "", text: "012345")
    await #expect(throws: MessageFailure.notAccepted("expected the message gateway to answer 2xx, got 403")) {
      try await sender.send(message)
    }
    #expect(!"\(sender)\(String(describing: error))".contains("hush"))
  }

  @Test("Text that the default alphabet has goes out in it, other text in UCS-2")
  func alphabet() {
    #expect(GSMAlphabet.canWrite("012345 ist dein Code für Onside. [x] {y} €"))
    #expect(!GSMAlphabet.canWrite("012345 هو رمزك") && !GSMAlphabet.canWrite("ê"))
  }
}

/// A running Kannel: bearerbox, smsbox, and the fake SMSC that notes what it gets.
struct Kannel {
  static let fakeSMSC = "/usr/lib/kannel/test/fakesmsc"
  static var isHere: Bool {
    ChildServer.path("/usr/sbin/bearerbox") != nil && ChildServer.path("/usr/sbin/smsbox") != nil
      && ChildServer.path(fakeSMSC) != nil
  }

  private let folder: TemporaryFolder
  private let port: Int
  private let boxes: [ChildServer]
  private let center: ChildServer

  init() async throws {
    folder = try TemporaryFolder()
    let ports = try ChildServer.freePorts(4)
    port = ports[3]
    try Self.configuration(ports).write(toFile: folder.file("kannel.conf"), atomically: true, encoding: .utf8)
    let bearer = try ChildServer(
      "/usr/sbin/bearerbox", arguments: [folder.file("kannel.conf")], output: folder.file("bearerbox"))
    try await Self.listens(ports[1])
    try await Self.listens(ports[2])
    let box = try ChildServer(
      "/usr/sbin/smsbox", arguments: [folder.file("kannel.conf")], output: folder.file("smsbox"))
    center = try ChildServer(
      Self.fakeSMSC, arguments: ["-H", "127.0.0.1", "-r", "\(ports[2])", "-i", "0.1", "-m", "0", "1 2 text x"],
      output: folder.file("smsc"))
    boxes = [bearer, box]
    try await Self.listens(ports[3])
  }

  func sender(_ change: (inout MessageConfiguration) -> Void = { _ in }) -> KannelMessageSender {
    var configuration = MessageConfiguration()
    configuration.sender = .kannel
    configuration.user = "onside"
    configuration.password = ConfigurationSecret("s3cret")
    configuration.from = "Onside"
    configuration.timeout = .seconds(60)
    change(&configuration)
    return KannelMessageSender(configuration: configuration, url: "http://127.0.0.1:\(port)/cgi-bin/sendsms")
  }

  /// How many messages have arrived.
  var count: Int { messages.count }

  /// A message as the SMSC got it, from 1.
  func message(_ number: Int) async throws -> String {
    for _ in 0..<1200 {
      if messages.count >= number { return messages[number - 1] }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw ChildServer.Silent(text: center.errors)
  }

  private var messages: [String] {
    (center.errors + center.lines.joined(separator: "\n")).split(separator: "\n").compactMap { line in
      line.firstRange(of: "Got message ").flatMap { found in
        line[found.upperBound...].firstIndex(of: "<").map { String(line[$0...]) }
      }
    }
  }

  private static func listens(_ port: Int) async throws {
    for _ in 0..<1200 {
      if ChildServer.accepts(port) { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw ChildServer.Silent(text: "nothing listens on \(port)")
  }

  private static func configuration(_ ports: [Int]) -> String {
    """
    group = core
    admin-port = \(ports[0])
    admin-interface = 127.0.0.1
    admin-password = admin
    smsbox-port = \(ports[1])
    smsbox-interface = 127.0.0.1
    box-allow-ip = "127.0.0.1"

    group = smsc
    smsc = fake
    port = \(ports[2])
    connect-allow-ip = 127.0.0.1

    group = smsbox
    bearerbox-host = 127.0.0.1
    sendsms-port = \(ports[3])
    sendsms-interface = 127.0.0.1

    group = sendsms-user
    username = onside
    password = s3cret
    concatenation = true
    max-messages = 4

    group = sms-service
    keyword = default
    max-messages = 0
    text = "none"

    """
  }
}
