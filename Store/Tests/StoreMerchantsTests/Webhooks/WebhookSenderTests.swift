import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StoreBaseTestSupport
import StoreWeb
import Synchronization
import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct WebhookSenderTests {
  /// A sender of a sandbox.
  ///
  /// - Parameter addresses: The addresses of every name; nil for the system's lookup.
  private func makeSender(limit: Duration = .seconds(120), addresses: [IPAddress]? = nil) -> WebhookSender {
    WebhookSender(isSandbox: true, limit: limit, tls: nil) { addresses ?? HostAddresses.of($0) }
  }

  @Test("a delivery posts the body with the headers of Standard Webhooks, and of each secret a signature")
  func delivery() async throws {
    let secrets = [try #require(WebhookSecret(text: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))]
    try await WebhookReceiver.run(answer: { Response(status: .ok, body: .init(byteBuffer: .init(string: "done"))) }) {
      receiver in
      let other = WebhookSecret(SeededRandomSource())
      let request = receiver.request(receiver.url("/hooks?tenant=7"), secrets: [other] + secrets)
      let attempt = await makeSender().send(request)
      #expect(attempt.outcome == .delivered)
      #expect(attempt.status == 200)
      #expect(attempt.answer == "done")
      #expect(attempt.retryAfter == nil)
      #expect(attempt.took > .zero)
      let received = try #require(receiver.requests.first)
      #expect(receiver.requests.count == 1)
      #expect(received.method == .post)
      #expect(received.path == "/hooks?tenant=7")
      #expect(received.authority.map { "http://\($0)/hooks?tenant=7" } == request.url)
      #expect(received.body == request.body)
      #expect(received.header("content-type") == "application/json")
      #expect(received.header("webhook-id") == "msg_p5jXN8AQM9LWM0D4loKWxJek")
      #expect(received.header("webhook-timestamp") == "1614265330")
      let signatures = received.header("webhook-signature")?.split(separator: " ") ?? []
      #expect(signatures.count == 2)
      #expect(signatures.last == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
      #expect(received.header("cookie") == nil)
    }
  }

  private static let statuses: [(Int, WebhookOutcome)] = [
    (200, .delivered), (202, .delivered), (204, .delivered), (299, .delivered), (300, .redirected),
    (304, .redirected), (308, .redirected), (400, .rejectedStatus), (404, .rejectedStatus), (410, .gone),
    (429, .rejectedStatus), (500, .rejectedStatus), (503, .rejectedStatus),
  ]

  @Test("the status decides on the outcome", arguments: statuses)
  func status(code: Int, outcome: WebhookOutcome) async throws {
    try await WebhookReceiver.run(answer: { Response(status: .init(code: code)) }) { receiver in
      let attempt = await makeSender().send(receiver.request())
      #expect(attempt.outcome == outcome)
      #expect(attempt.status == code)
    }
  }

  @Test("a redirect is not followed, and cookies are not sent again")
  func redirect() async throws {
    let headers: HTTPFields = [.location: "/other", .setCookie: "a=b"]
    try await WebhookReceiver.run(answer: { Response(status: .permanentRedirect, headers: headers) }) { receiver in
      let sender = makeSender()
      let attempt = await sender.send(receiver.request())
      _ = await sender.send(receiver.request())
      #expect(attempt.outcome == .redirected)
      #expect(receiver.requests.map(\.path) == ["/hooks", "/hooks"])
      #expect(receiver.requests.compactMap { $0.header("cookie") } == [])
    }
  }

  @Test("Retry-After is read, and 429 asks for a slowdown")
  func retryAfter() async throws {
    let headers: HTTPFields = [.retryAfter: "120"]
    try await WebhookReceiver.run(answer: { Response(status: .tooManyRequests, headers: headers) }) { receiver in
      let attempt = await makeSender().send(receiver.request())
      #expect(attempt.outcome == .rejectedStatus)
      #expect(attempt.retryAfter == 120)
      #expect(attempt.asksForSlowdown)
    }
  }

  @Test("an exchange without a status ends at the time limit")
  func timeout() async throws {
    try await WebhookReceiver.run(answer: {
      try await Task.sleep(for: .seconds(600))
      return Response(status: .ok)
    }) { receiver in
      let attempt = await makeSender(limit: .milliseconds(200)).send(receiver.request())
      #expect(attempt.outcome == .timedOut)
      #expect(attempt.status == nil)
      #expect(attempt.took >= .milliseconds(200))
      #expect(attempt.took < .seconds(120))
    }
  }

  @Test("a body without an end does not change the outcome of its status")
  func unfinishedBody() async throws {
    let body = ResponseBody { writer in
      try await writer.write(ByteBuffer(string: "begun"))
      try await Task.sleep(for: .seconds(600))
    }
    try await WebhookReceiver.run(answer: { Response(status: .ok, body: body) }) { receiver in
      let attempt = await makeSender(limit: .seconds(10)).send(receiver.request())
      #expect(attempt.outcome == .delivered)
      #expect(attempt.answer == "begun")
    }
  }

  @Test("2 KiB of a longer answer are read; then the connection is closed")
  func longAnswer() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let body = ResponseBody { writer in
      defer { end.finish() }
      while true { try await writer.write(ByteBuffer(repeating: UInt8(ascii: "a"), count: 1000)) }
    }
    try await WebhookReceiver.run(answer: { Response(status: .badRequest, body: body) }) { receiver in
      let attempt = await makeSender().send(receiver.request())
      #expect(attempt.outcome == .rejectedStatus)
      #expect(attempt.answer == String(repeating: "a", count: 2048))
      // The server ends only when its connection is closed.
      for await _ in ends {}
    }
  }

  @Test("a cancelled attempt has an outcome of its own")
  func cancellation() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    try await WebhookReceiver.run(answer: {
      arrival.yield()
      try await Task.sleep(for: .seconds(600))
      return Response(status: .ok)
    }) { receiver in
      let (sender, request) = (makeSender(), receiver.request())
      let task = Task { await sender.send(request) }
      for await _ in arrivals { break }
      task.cancel()
      let attempt = await task.value
      #expect(attempt.outcome == .cancelled)
    }
  }
}

/// Addresses that are rejected, and connections to those that are permitted.
@Suite(.timeLimit(.minutes(5))) struct WebhookSenderAddressTests {
  private static let here = IPAddress.four([127, 0, 0, 1])

  private func makeSender(
    _ addresses: @escaping @Sendable (String) -> [IPAddress] = HostAddresses.of
  ) -> WebhookSender {
    WebhookSender(isSandbox: true, limit: .seconds(120), tls: nil, addresses: addresses)
  }

  @Test(
    "a private address, also one of a name, needs the operator's permission", arguments: ["127.0.0.1", "localhost"])
  func privateAddress(host: String) async throws {
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let rejected = await makeSender().send(receiver.request(receiver.url(host: host), allowsPrivate: false))
      #expect(rejected.outcome == .addressRejected)
      #expect(rejected.status == nil)
      #expect(receiver.requests.isEmpty)
      let delivered = await makeSender().send(receiver.request(receiver.url(host: host)))
      #expect(delivered.outcome == .delivered)
    }
  }

  private static let notations = ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0"]

  @Test("other notations of private addresses are rejected", arguments: notations)
  func notation(host: String) async throws {
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let attempt = await makeSender().send(receiver.request(receiver.url(host: host), allowsPrivate: false))
      #expect(attempt.outcome == .addressRejected)
      #expect(receiver.requests.isEmpty)
    }
  }

  @Test("a name with a public and a private address is rejected")
  func mixedAddresses() async throws {
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let request = receiver.request(receiver.url(host: "hooks.example"), allowsPrivate: false)
      let attempt = await makeSender { _ in [Self.here, .four([1, 1, 1, 1])] }.send(request)
      #expect(attempt.outcome == .addressRejected)
      #expect(receiver.requests.isEmpty)
    }
  }

  @Test("a connection goes to the address of the one lookup, with the original name in Host")
  func pinnedAddress() async throws {
    let lookups = Mutex<[String]>([])
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let sender = makeSender { host in
        lookups.withLock { $0.append(host) }
        return [Self.here]
      }
      let request = receiver.request(receiver.url(host: "Hooks.Example"))
      let outcomes = await withTaskGroup(of: WebhookOutcome.self) { group in
        for _ in 0..<10 { group.addTask { await sender.send(request).outcome } }
        return await group.reduce(into: [WebhookOutcome]()) { $0.append($1) }
      }
      #expect(outcomes == Array(repeating: .delivered, count: 10))
      #expect(receiver.requests.allSatisfy { $0.authority?.hasPrefix("hooks.example:") == true })
    }
    #expect(lookups.withLock { $0 } == ["hooks.example"])
  }

  @Test("the next address is used if there is no connection to the first one")
  func nextAddress() async throws {
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      // The receiver listens on 127.0.0.1 alone.
      let sender = makeSender { _ in [.four([127, 0, 0, 2]), Self.here] }
      let attempt = await sender.send(receiver.request(receiver.url(host: "hooks.example")))
      #expect(attempt.outcome == .delivered)
    }
  }

  @Test("a name is looked up again after a failed connection")
  func movedHost() async throws {
    let lookups = Mutex(0)
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let sender = makeSender { _ in
        let isFirst = lookups.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst ? [.four([127, 0, 0, 2])] : [Self.here]
      }
      let request = receiver.request(receiver.url(host: "hooks.example"))
      let first = await sender.send(request)
      let second = await sender.send(request)
      #expect(first.outcome == .noAnswer)
      #expect(second.outcome == .delivered)
    }
  }

  @Test("a name without addresses and an invalid address have outcomes of their own")
  func unknownName() async throws {
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let unknown = await makeSender { _ in [] }.send(receiver.request(receiver.url(host: "hooks.example")))
      let invalid = await makeSender().send(receiver.request("ftp://127.0.0.1/"))
      #expect(unknown.outcome == .nameUnknown)
      #expect(invalid.outcome == .addressRejected)
    }
  }

  @Test("a silent lookup ends at the time limit and does not delay other hosts")
  func silentLookup() async throws {
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    let sender = WebhookSender(isSandbox: true, limit: .seconds(10), tls: nil) { host in
      if host == "silent.example" { gate.wait() }
      return [Self.here]
    }
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      async let silent = sender.send(receiver.request(receiver.url(host: "silent.example")))
      let other = await sender.send(receiver.request(receiver.url(host: "hooks.example")))
      #expect(other.outcome == .delivered)
      let late = await silent
      #expect(late.outcome == .timedOut)
    }
  }

  @Test("requests to 50 hosts at once are delivered")
  func manyHosts() async throws {
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let sender = makeSender { _ in [Self.here] }
      let delivered = await withTaskGroup(of: WebhookOutcome.self) { group in
        for index in 0..<100 {
          let request = receiver.request(receiver.url(host: "h\(index % 50).example"))
          group.addTask { await sender.send(request).outcome }
        }
        return await group.reduce(into: 0) { count, outcome in if outcome == .delivered { count += 1 } }
      }
      #expect(delivered == 100)
    }
  }
}
