import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import OnsideAPI
import Synchronization
import Testing

@testable import OnsideStore

@Suite("Messages")
struct MessageTests {
  private static let phone = "+31612345689"

  private static func ask(_ store: LoginStore) async throws {
    let attempt = try await store.pages.logins.begin(.web(next: "/"), browser: "b", language: .german)
    let outcome = try await store.pages.logins.sendCode(
      attempt, to: try PhoneNumber(parsing: phone), source: CodeSource(device: "b", network: "n"))
    #expect(outcome == .sent)
  }

  @Test("A code is sent once, in the person's language")
  func once() async throws {
    let store = try await LoginStore()
    try await Self.ask(store)
    await store.pages.outbox.deliverDue()
    await store.pages.outbox.deliverDue()
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
    await second.pages.outbox.deliverDue()
    #expect(second.inbox.messages.map(\.phone.e164) == [Self.phone])
  }

  @Test("A gateway that fails is tried again, with the same id, later each time")
  func retry() async throws {
    let store = try await LoginStore()
    store.inbox.failNext(2)
    try await Self.ask(store)
    await store.pages.outbox.deliverDue()
    store.store.clock.advance(by: .seconds(1))
    await store.pages.outbox.deliverDue()
    store.store.clock.advance(by: .seconds(1))
    await store.pages.outbox.deliverDue()
    #expect(store.inbox.messages.isEmpty)
    store.store.clock.advance(by: .seconds(4))
    await store.pages.outbox.deliverDue()
    #expect(store.inbox.messages.count == 1)
  }

  @Test("A code that has expired is not sent any more")
  func expired() async throws {
    let store = try await LoginStore()
    try await Self.ask(store)
    store.store.clock.advance(by: .seconds(600))
    await store.pages.outbox.deliverDue()
    #expect(store.inbox.messages.isEmpty)
  }

  @Test("Two processes on one database send a code once")
  func twoProcesses() async throws {
    let store = try await LoginStore()
    let other = HostedPages(core: store.store.core, sender: store.inbox)
    try await Self.ask(store)
    async let first: Void = store.pages.outbox.deliverDue()
    async let second: Void = other.outbox.deliverDue()
    _ = await (first, second)
    #expect(store.inbox.messages.count == 1)
  }

  @Test("The console sender writes one line of a fixed form")
  func console() async throws {
    let lines = Mutex<[String]>([])
    let sender = ConsoleMessageSender { line in lines.withLock { $0.append(line) } }
    try await sender.send(
      OutgoingMessage(id: "1", phone: try PhoneNumber(parsing: Self.phone), code: "012345", text: "text"))
    #expect(lines.withLock { $0 } == ["onside code for +31612345689 : 012345\n"])
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
      configuration.authorization = MessageSecret("Bearer s3cret")
      let port = try #require(client.port)
      let url = try #require(URL(string: "http://127.0.0.1:\(port)/send"))
      let sender = HTTPMessageSender(configuration, url: url)
      let message = OutgoingMessage(
        id: "m-1", phone: try PhoneNumber(parsing: Self.phone), code: "012345", text: "say \"{code}\"\n")
      await #expect(throws: HTTPMessageSender.Refusal(status: 503)) { try await sender.send(message) }
      try await sender.send(message)
      #expect("\(configuration)".contains("s3cret") == false)
    }
    let second = try #require(received.withLock { $0.last })
    #expect(second.body == #"{"to":"+31612345689","body":{"text":"say \"{code}\"\n"},"ref":"m-1"}"#)
    #expect(second.id == "m-1" && second.secret == "Bearer s3cret")
  }
}
