import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OnsideBrowserHost
import OnsideKit
import Testing

/// Who is let in, over real sockets.
@MainActor
@Suite("The door of the browser host", .timeLimit(.minutes(5)))
struct RequestGuardTests {
  private static let origin = "http://localhost:5173"

  private func run(
    limits: BridgeLimits = BridgeLimits(), secondsToReturn: Double? = nil,
    _ body: @escaping @MainActor (Stage, PageRequest) async throws -> Void
  ) async throws {
    let origin = try #require(WebOrigin(Self.origin))
    try await Stage.run(.origin(origin), limits: limits, secondsToReturn: secondsToReturn) { stage in
      let right = PageRequest(path: "events", token: stage.settings.token, origin: Self.origin)
      try await body(stage, right)
    }
  }

  /// One thing that is wrong with a request, and the status that it gets.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: UInt
    let change: @Sendable (inout PageRequest) -> Void

    init(_ name: String, status: UInt, _ change: @escaping @Sendable (inout PageRequest) -> Void) {
      (testDescription, self.status, self.change) = (name, status, change)
    }

    static let all = [
      Wrong("no token", status: 403) { $0.token = nil },
      Wrong("another token", status: 403) { $0.token = String(repeating: "0", count: 64) },
      Wrong("half of the token", status: 403) { $0.token = $0.token.map { String($0.prefix(32)) } },
      Wrong("another origin", status: 403) { $0.origin = "http://evil.example" },
      Wrong("another port", status: 403) { $0.origin = "http://localhost:5174" },
      Wrong("another scheme", status: 403) { $0.origin = "https://localhost:5173" },
      Wrong("a longer name", status: 403) { $0.origin = "http://localhost:5173.evil.example" },
      Wrong("an opaque origin", status: 403) { $0.origin = "null" },
      Wrong("no origin", status: 403) { $0.origin = nil },
      Wrong("no origin, but a page of another site", status: 403) { ($0.origin, $0.site) = (nil, "same-origin") },
      Wrong("another host name (DNS rebinding)", status: 421) { $0.host = "evil.example" },
      Wrong("another host name with the right port", status: 421) { $0.host = "evil.example:8788" },
      Wrong("no tab", status: 400) { $0.query = "" },
      Wrong("a tab with a long name", status: 400) { $0.query = "tab=" + String(repeating: "a", count: 65) },
    ]
  }

  @Test("JSB-6: a page of another origin, host or token is refused, and told nothing", arguments: Wrong.all)
  func refused(wrong: Wrong) async throws {
    try await run { stage, right in
      var request = right
      wrong.change(&request)
      for (path, method) in [("events", "GET"), ("messages", "POST")] {
        (request.path, request.method) = (path, method)
        let response = try await request.send(to: stage.base)
        #expect(response.status.code == wrong.status)
        #expect(response.headers["Access-Control-Allow-Origin"].isEmpty)
      }
      try await stage.lines.until("refused /events")
      #expect(!stage.lines.value.joined().contains(stage.settings.token))
    }
  }

  @Test("JSB-6: the script needs token and host, too")
  func script() async throws {
    try await run { stage, right in
      var request = right
      (request.path, request.origin) = ("onside.js", nil)
      var statuses = [try await request.send(to: stage.base).status.code]
      request.token = "wrong"
      statuses.append(try await request.send(to: stage.base).status.code)
      (request.token, request.host) = (stage.settings.token, "evil.example")
      statuses.append(try await request.send(to: stage.base).status.code)
      #expect(statuses == [200, 403, 421])
    }
  }

  @Test("JSB-9: a message that is too large is refused with the bridge's own error, and the next one is taken")
  func oversized() async throws {
    var limits = BridgeLimits()
    limits.messageBytes = 1000
    try await run(limits: limits) { stage, right in
      var events = Events(try await right.send(to: stage.base))
      let page = try #require(try await events.next()?.split(separator: " ").last)
      var message = right
      (message.path, message.method, message.query) = ("messages", "POST", "tab=one&page=\(page)")
      message.body = String(repeating: " ", count: 1001)
      let refusal = try await message.send(to: stage.base)
      #expect(refusal.status == .ok)
      let text = "A message may have 1000 bytes, this one has 1001; send less at a time"
      let error = #""error":{"code":"brokenRequest","message":"\#(text)"}"#
      #expect(String(buffer: try await refusal.body.collect(upTo: 1000)).contains(error))
      #expect(stage.lines.value.contains { $0.hasSuffix("brokenRequest: \(text)") })
      message.body = #"[{"call":{"id":1,"function":"getCurrentStorefront"}}]"#
      let response = try await message.send(to: stage.base)
      #expect(response.headers["Access-Control-Allow-Origin"] == [Self.origin])
      let reply = String(buffer: try await response.body.collect(upTo: 1000))
      #expect(reply.hasSuffix(#""results":[{"id":1,"value":null}]}"#), "\(reply)")
    }
  }

  @Test("JSB-7: a reload is a new page of the same tab; the old one is over, and so is its stream")
  func reload() async throws {
    try await run { stage, right in
      var old = Events(try await right.send(to: stage.base))
      let oldPage = try #require(try await old.next()?.split(separator: " ").last)
      var new = Events(try await right.send(to: stage.base))
      let newPage = try #require(try await new.next()?.split(separator: " ").last)
      let next = try await old.next()
      #expect(next == nil)
      var replies: [String] = []
      for (page, status) in [(oldPage, UInt(410)), (newPage, 200)] {
        var message = right
        (message.path, message.method, message.query) = ("messages", "POST", "tab=one&page=\(page)")
        message.body = #"[{"ready":{}}]"#
        let response = try await message.send(to: stage.base)
        #expect(response.status.code == status)
        replies.append(String(buffer: try await response.body.collect(upTo: 1000)))
      }
      #expect(replies.first == "this page has ended; reload it")
      // The bridge has taken the message: its reply has no error.
      #expect(replies.last?.wholeMatch(of: /\{"page":"[0-9a-f]{24}"\}/) != nil, "\(replies)")
    }
  }

  @Test("An item that no page sends is logged as broken after those around it, and the bridge refuses the message")
  func brokenItem() async throws {
    try await run { stage, right in
      var events = Events(try await right.send(to: stage.base))
      let page = try #require(try await events.next()?.split(separator: " ").last)
      var message = right
      (message.path, message.method, message.query) = ("messages", "POST", "tab=one&page=\(page)")
      let body = #"[{"call":{"id":1,"function":"requestLogin"}},7,{"call":{"id":2,"function":"getTransactions"}}]"#
      message.body = body
      let status = try await message.send(to: stage.base).status
      #expect(status == .ok)
      let lines = stage.lines.value.compactMap { $0.split(separator: "tab 1  ").last.map(String.init) }
      let log = Array(lines.drop { !$0.hasPrefix("calls") })
      #expect(log.prefix(3) == ["calls   requestLogin", "calls   getTransactions", "broken  \(body)"])
      #expect(log.contains { $0.hasPrefix("refused brokenRequest: The message is not one of this bridge's") }, "\(log)")
      withExtendedLifetime(events) {}
    }
  }

  @Test("JSB-12: a tab without a page is closed after a while; a reload in time keeps it")
  func closedTab() async throws {
    try await run(secondsToReturn: 0.2) { stage, right in
      var kept = right
      kept.query = "tab=kept"
      // A reload: the new page's stream comes before the old one has ended.
      var old: Events? = Events(try await kept.send(to: stage.base))
      _ = try await old?.next()
      var new = Events(try await kept.send(to: stage.base))
      _ = try await new.next()
      while try await old?.next() != nil {}
      old = nil
      let leaving = Task { @MainActor in
        var events = Events(try await right.send(to: stage.base))
        _ = try await events.next()
      }
      try await leaving.value
      try await stage.lines.until("tab 2  tab     closed")
      #expect(!stage.lines.value.contains { $0.hasSuffix("tab 1  tab     closed") })
      withExtendedLifetime(new) {}
    }
  }

  @Test("Who opens the host's own address is led to the page")
  func ownAddress() async throws {
    try await run { stage, _ in
      let response = try await PageRequest(path: "", query: "").send(to: stage.base)
      #expect(response.status == .temporaryRedirect)
      #expect(response.headers["Location"] == [Self.origin])
      let status = try await PageRequest(path: "favicon.ico").send(to: stage.base).status
      #expect(status == .noContent)
    }
  }

  @Test("JSB-7: events go to the page as they come, and a closed tab is the end of its page")
  func pushes() async throws {
    try await run { stage, right in
      let reading = Task { @MainActor in
        var events = Events(try await right.send(to: stage.base))
        let page = try #require(try await events.next()?.split(separator: " ").last)
        var message = right
        (message.path, message.method, message.query) = ("messages", "POST", "tab=one&page=\(page)")
        message.body = #"""
          [{"handlers":{"names":["onStorefrontChanged"]}},{"ready":{}},{"call":{"id":1,"function":"requestLogin"}}]
          """#
        let status = try await message.send(to: stage.base).status
        #expect(status == .ok)
        while let event = try await events.next(), !event.contains("onStorefrontChanged") {}
      }
      try await reading.value
      try await stage.lines.until("page    gone")
      #expect(stage.lines.value.contains { $0.hasSuffix("tab 1  calls   requestLogin") })
      #expect(stage.lines.value.contains { $0.hasSuffix("tab 1  event   onStorefrontChanged NL") })
    }
  }
}
