import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import OnsideAPI
import StoreBaseTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

@Suite("Messages", .timeLimit(.minutes(5)))
struct MessageTests {
  private static let phone = "+31612345689"

  private static func ask(_ store: LoginStore) async throws {
    let attempt = try await store.logins.begin(.web(next: "/"), browser: "b", language: .german)
    let outcome = try await store.logins.sendCode(
      attempt, to: .phone(try PhoneNumber(parsing: phone)), source: CodeSource(device: "b", network: "n"))
    #expect(outcome == .sent)
  }

  @Test("A code is sent once, in the person's language")
  func once() async throws {
    let store = try await LoginStore()
    try await Self.ask(store)
    await store.messages.deliverDue()
    await store.messages.deliverDue()
    let message = try #require(store.inbox.messages.first)
    #expect(store.inbox.messages.count == 1)
    #expect(
      message.text == "\(message.code) ist dein Code für Onside. Er gilt 10 Minuten. Gib ihn an niemanden weiter.")
  }

  @Test("A code survives a restart of the store before it was sent")
  func restart() async throws {
    let first = try await LoginStore()
    try await Self.ask(first)
    await first.store.core.dependencies.database.close()
    let second = try await LoginStore(in: first.store.folder, clock: first.store.clock)
    await second.messages.deliverDue()
    #expect(second.inbox.messages.map(\.to.text) == [Self.phone])
  }

  @Test("A gateway that fails is tried again, later each time")
  func retry() async throws {
    let store = try await LoginStore()
    store.inbox.failNext(2)
    try await Self.ask(store)
    await store.messages.deliverDue()
    store.store.clock.advance(by: .seconds(1))
    await store.messages.deliverDue()
    store.store.clock.advance(by: .seconds(1))
    await store.messages.deliverDue()
    #expect(store.inbox.messages.isEmpty)
    store.store.clock.advance(by: .seconds(4))
    await store.messages.deliverDue()
    #expect(store.inbox.messages.count == 1)
  }

  @Test("A code that has expired is not sent any more")
  func expired() async throws {
    let store = try await LoginStore()
    try await Self.ask(store)
    store.store.clock.advance(by: .seconds(600))
    await store.messages.deliverDue()
    #expect(store.inbox.messages.isEmpty)
  }

  @Test("Two processes on one database send a code once")
  func twoProcesses() async throws {
    let store = try await LoginStore()
    let other = MessageOutbox(store.store.core, sender: store.inbox)
    try await Self.ask(store)
    async let first: Void = store.messages.deliverDue()
    async let second: Void = other.deliverDue()
    _ = await (first, second)
    #expect(store.inbox.messages.count == 1)
  }

  @Test("The console sender writes one line of a fixed form")
  func console() async throws {
    let lines = Mutex<[String]>([])
    let sender = ConsoleMessageSender { line in lines.withLock { $0.append(line) } }
    try await sender.send(
      OutgoingMessage(
        id: "1", to: .phone(try PhoneNumber(parsing: Self.phone)), code: "012345", subject: "", text: "text"))
    #expect(lines.withLock { $0 } == ["onside code for +31612345689 : 012345\n"])
  }

  @Test("A gateway for text messages that takes long does not hold up e-mail")
  func slowGateway() async throws {
    let gateway = PatientGateway()
    let store = try await LoginStore(sender: gateway, configure: { $0.mail.sender = .console })
    let delivery = Task { try await store.messages.run() }
    try await Self.ask(store)
    for await _ in gateway.phoneIsUnderWay { break }
    let attempt = try await store.logins.begin(.web(next: "/"), browser: "c", language: .english)
    let outcome = try await store.logins.sendCode(
      attempt, to: .email(try EmailAddress(parsing: "ann@example.org")), source: CodeSource(device: "c", network: "n"))
    #expect(outcome == .sent)
    // The text message is taken only after the e-mail.
    for await _ in gateway.phoneIsTaken { break }
    delivery.cancel()
    _ = await delivery.result
  }

  @Test("A message that went out while nothing could be written is not sent again by a sender without repeats")
  func sentButUnmarked() async throws {
    let store = try await LoginStore()
    let database = store.store.core.dependencies.database
    let gateway = MoodyGateway(recognisesRepeats: false, failure: nil) {
      try await database.refuseUpdates(of: "delivered_at", in: "one_time_codes")
    }
    let messages = MessageOutbox(store.store.core, sender: gateway)
    try await Self.ask(store)
    for _ in 0..<5 {
      await messages.deliverDue()
      store.store.clock.advance(by: .seconds(100))
    }
    #expect(gateway.tries == 1)
  }

  @Test("A code that the console cannot write was not accepted, and waits for the next try")
  func fullConsole() async throws {
    let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    let output = LineOutput(descriptor: full.fileDescriptor)
    let store = try await LoginStore(sender: ConsoleMessageSender { try output.write($0) })
    try await Self.ask(store)
    await store.messages.deliverDue()
    let metrics = store.store.core.dependencies.metrics.text()
    #expect(metrics.contains("onside_messages_total{outcome=\"failed\"} 1"))
    store.store.clock.advance(by: .seconds(2))
    await store.messages.deliverDue()
    #expect(store.store.core.dependencies.metrics.text().contains("onside_messages_total{outcome=\"failed\"} 2"))
    try full.close()
  }

  @Test(
    "A message whose outcome is unclear is repeated only for a gateway that recognises repeats",
    arguments: [true, false])
  func unclear(recognisesRepeats: Bool) async throws {
    let gateway = MoodyGateway(recognisesRepeats: recognisesRepeats, failure: .unclear("no answer"))
    let store = try await LoginStore(sender: gateway)
    try await Self.ask(store)
    for _ in 0..<5 {
      await store.messages.deliverDue()
      store.store.clock.advance(by: .seconds(100))
    }
    #expect(gateway.tries == (recognisesRepeats ? 5 : 1))
    let metrics = store.store.core.dependencies.metrics.text()
    #expect(metrics.contains("onside_messages_total{outcome=\"given_up\"} \(recognisesRepeats ? 0 : 1)"))
  }

  @Test("A message that is refused for good is not repeated", arguments: [true, false])
  func refused(recognisesRepeats: Bool) async throws {
    let gateway = MoodyGateway(recognisesRepeats: recognisesRepeats, failure: .refused("no such number"))
    let store = try await LoginStore(sender: gateway)
    try await Self.ask(store)
    for _ in 0..<5 {
      await store.messages.deliverDue()
      store.store.clock.advance(by: .seconds(100))
    }
    #expect(gateway.tries == 1)
  }

  @Test(
    "A process that dies over a message leaves it to another one only if a repeat does no harm",
    arguments: [true, false])
  func died(recognisesRepeats: Bool) async throws {
    let gateway = MoodyGateway(recognisesRepeats: recognisesRepeats, failure: nil)
    let store = try await LoginStore(sender: gateway)
    try await Self.ask(store)
    // The other process has claimed it and is gone.
    let lease = recognisesRepeats ? 30.0 : 600.0
    let next = store.store.clock.now() + lease
    try await store.store.core.dependencies.database.write {
      try $0.execute("UPDATE one_time_codes SET next_delivery_at = $1, deliveries = 1", [.date(next)])
    }
    store.store.clock.advance(by: .seconds(40))
    await store.messages.deliverDue()
    #expect(gateway.tries == (recognisesRepeats ? 1 : 0))
  }

  @Test("A failure that is told after another process has claimed the message leaves it to that one")
  func lateFailure() async throws {
    let (slow, quick) = (GatedGateway(), GatedGateway())
    let store = try await LoginStore(sender: slow)
    let other = MessageOutbox(store.store.core, sender: quick)
    try await Self.ask(store)
    let first = Task { await store.messages.deliverDue() }
    await slow.untilBegun()
    store.store.clock.advance(by: .seconds(31))
    let second = Task { await other.deliverDue() }
    await quick.untilBegun()
    slow.end()
    await first.value
    store.store.clock.advance(by: .seconds(10))
    // Nothing is due: the other one's claim has 20 seconds left.
    await store.messages.deliverDue()
    #expect(slow.tries == 1)
    quick.end()
    await second.value
  }

  @Test("The gateway gets JSON by the template, with the message's id and the secret")
  func gateway() async throws {
    let received = Mutex<[(body: String, id: String?, secret: String?)]>([])
    let router = Router()
    router.post("send") { request, context in
      let body = String(buffer: try await request.body.collect(upTo: 4096))
      received.withLock {
        $0.append((body, request.headers[HTTPField.Name("Idempotency-Key")!], request.headers[.authorization]))
      }
      return received.withLock { $0.count } == 1 ? HTTPResponse.Status.serviceUnavailable : .accepted
    }
    try await Application(router: router).test(.live) { client in
      var configuration = MessageConfiguration()
      configuration.template = #"{"to":"{to}","body":{"text":"{text}"},"ref":"{id}"}"#
      configuration.authorization = ConfigurationSecret("Bearer s3cret")
      let port = try #require(client.port)
      let sender = HTTPMessageSender(configuration: configuration, url: "http://127.0.0.1:\(port)/send")
      let message = OutgoingMessage(
        id: "m-1", to: .phone(try PhoneNumber(parsing: Self.phone)), code: "012345", subject: "",
        text: "say \"{code}\"\n")
      await #expect(throws: MessageFailure.notAccepted("expected the message gateway to answer 2xx, got 503")) {
        try await sender.send(message)
      }
      try await sender.send(message)
      #expect("\(configuration)".contains("s3cret") == false)
    }
    let second = try #require(received.withLock { $0.last })
    #expect(second.body == #"{"to":"+31612345689","body":{"text":"say \"{code}\"\n"},"ref":"m-1"}"#)
    #expect(second.id == "m-1" && second.secret == "Bearer s3cret")
  }

  @Test("A template's values are written as the place needs them, and never read as words of the template")
  func templates() throws {
    let message = OutgoingMessage(
      id: "m-1", to: .phone(try PhoneNumber(parsing: Self.phone)), code: "012345", subject: "",
      text: "a&b=\"{code}\" <ü>\r\nX-Evil: 1")
    let filled = { (place: MessageTemplate.Place) in
      MessageTemplate(text: "{to} {text} {other}", place: place).filled(with: message)
    }
    let encoded = "a%26b%3D%22%7Bcode%7D%22%20%3C%C3%BC%3E%0D%0AX-Evil%3A%201"
    #expect(filled(.address) == "%2B31612345689 \(encoded) {other}" && filled(.form) == filled(.address))
    #expect(filled(.json) == #"+31612345689 a&b=\"{code}\" <ü>\r\nX-Evil: 1 {other}"#)
    #expect(filled(.xml).hasPrefix("+31612345689 a&amp;b=&quot;{code}&quot; &lt;ü&gt;"))
    #expect(filled(.header) == "+31612345689 a&b=\"{code}\" <ü> X-Evil: 1 {other}")
    #expect(MessageTemplate.Place(contentType: "Application/Problem+JSON; charset=utf-8") == .json)
    #expect(MessageTemplate.Place(contentType: "application/x-www-form-urlencoded") == .form)
    #expect(MessageTemplate.Place(contentType: "text/xml") == .xml)
  }
}

/// Fails every try in one way, or none.
private final class MoodyGateway: MessageSender {
  let recognisesRepeats: Bool
  private let failure: MessageFailure?
  private let count = Mutex(0)
  private let meanwhile: @Sendable () async throws -> Void

  /// - Parameter meanwhile: happens before the first message is accepted.
  init(
    recognisesRepeats: Bool, failure: MessageFailure?, meanwhile: @escaping @Sendable () async throws -> Void = {}
  ) {
    (self.recognisesRepeats, self.failure, self.meanwhile) = (recognisesRepeats, failure, meanwhile)
  }

  var tries: Int { count.withLock { $0 } }

  func send(_ message: OutgoingMessage) async throws {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number == 1 { try await meanwhile() }
    if let failure { throw failure }
  }
}

/// Fails its first try when it is told to, and any other at once.
private final class GatedGateway: MessageSender {
  let recognisesRepeats = true
  private let count = Mutex(0)
  private let begun = AsyncStream.makeStream(of: Void.self)
  private let ended = AsyncStream.makeStream(of: Void.self)

  var tries: Int { count.withLock { $0 } }
  func untilBegun() async { for await _ in begun.stream { break } }
  func end() { ended.continuation.finish() }

  func send(_ message: OutgoingMessage) async throws {
    count.withLock { $0 += 1 }
    begun.continuation.yield()
    for await _ in ended.stream {}
    throw MessageFailure.notAccepted("busy")
  }
}

/// Takes a text message only after an e-mail.
private final class PatientGateway: MessageSender {
  let phoneIsUnderWay: AsyncStream<Void>
  let phoneIsTaken: AsyncStream<Void>
  private let begun: AsyncStream<Void>.Continuation
  private let taken: AsyncStream<Void>.Continuation
  private let emails: AsyncStream<Void>
  private let email: AsyncStream<Void>.Continuation

  init() {
    (phoneIsUnderWay, begun) = AsyncStream.makeStream()
    (phoneIsTaken, taken) = AsyncStream.makeStream()
    (emails, email) = AsyncStream.makeStream()
  }

  func send(_ message: OutgoingMessage) async throws {
    switch message.to {
    case .email: email.yield()
    case .phone:
      begun.yield()
      for await _ in emails { break }
      taken.yield()
    }
  }
}

extension MessageOutbox {
  /// One more process that delivers the codes of a store.
  fileprivate convenience init(_ core: StoreCore, sender: any MessageSender) {
    self.init(
      core.dependencies.base, storeName: core.dependencies.configuration.name,
      metrics: MessageMetrics(core.dependencies.metrics),
      senders: MessageSenders(phone: sender), codeGenerator: core.logins.codeGenerator)
  }
}
