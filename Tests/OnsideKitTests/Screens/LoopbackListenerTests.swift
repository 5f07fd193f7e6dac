import Foundation
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct LoopbackListenerTests {
  let clock = StepClock()

  @Test("ACC-8: requests with a wrong path, state, host or method change nothing, and listening goes on")
  func hostileRequests() async throws {
    let listener = try LoopbackListener(sleep: clock.sleep)
    let expected = try expectation(listener)
    async let arrived = listener.firstRedirect(where: expected.accepts)
    let host = "127.0.0.1:\(try #require(listener.redirect.port))"
    let path = listener.redirect.path
    #expect(
      try await send("GET \(path)?state=wrong&code=x HTTP/1.1\r\nHost: \(host)", to: listener).hasPrefix("HTTP/1.1 404")
    )
    #expect(
      try await send("GET /callback?state=s1&code=x HTTP/1.1\r\nHost: \(host)", to: listener).hasPrefix("HTTP/1.1 404"))
    #expect(
      try await send("GET /other?state=s1&code=x HTTP/1.1\r\nHost: \(host)", to: listener).hasPrefix("HTTP/1.1 404"))
    #expect(
      try await send("POST \(path)?state=s1&code=x HTTP/1.1\r\nHost: \(host)", to: listener).hasPrefix("HTTP/1.1 400"))
    #expect(
      try await send("GET \(path)?state=s1&code=x HTTP/1.1\r\nHost: evil.example", to: listener).hasPrefix(
        "HTTP/1.1 400")
    )
    #expect(try await send("GET \(path)?state=s1&code=x HTTP/1.1", to: listener).hasPrefix("HTTP/1.1 400"))
    #expect(try await send("\u{0}\u{1}garbage", to: listener).hasPrefix("HTTP/1.1 400"))
    let answer = try await send("GET \(path)?state=s1&code=right HTTP/1.1\r\nHost: \(host)", to: listener)
    #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("You can go back to the app"))
    #expect(answer.contains("Cache-Control: no-store") && answer.contains("default-src 'none'"))
    let queryValues = await arrived?.queryValues(named: "code")
    #expect(queryValues == ["right"])
  }

  @Test("A request that is too large or never ends is let go, and others are served meanwhile")
  func slowAndLarge() async throws {
    let listener = try LoopbackListener(sleep: clock.sleep)
    let expected = try expectation(listener)
    async let arrived = listener.firstRedirect(where: expected.accepts)
    let slow = try await Peer(listener)
    await slow.write("GET /callback")
    let large = try await send(String(repeating: "x", count: LoopbackServer.requestLimit + 1), to: listener)
    #expect(large.hasPrefix("HTTP/1.1 400") || large.isEmpty)
    // Only the slow request is left with a deadline; its time runs out.
    #expect(await eventually { clock.sleepers == 1 })
    clock.advance(LoopbackServer.requestDeadline)
    #expect(await slow.readAll().hasPrefix("HTTP/1.1 400"))
    let host = "127.0.0.1:\(try #require(listener.redirect.port))"
    _ = try await send("GET \(listener.redirect.path)?state=s1&code=c HTTP/1.1\r\nHost: \(host)", to: listener)
    let actualArrived = await arrived
    #expect(actualArrived != nil)
  }

  @Test("More connections than are read at once do not stop the listener")
  func crowd() async throws {
    let listener = try LoopbackListener(sleep: clock.sleep)
    let expected = try expectation(listener)
    async let arrived = listener.firstRedirect(where: expected.accepts)
    var idle: [Peer] = []
    for _ in 0..<(LoopbackServer.parallelLimit + 4) { idle.append(try await Peer(listener)) }
    #expect(await eventually { clock.sleepers == LoopbackServer.parallelLimit })
    idle.removeAll()
    let host = "127.0.0.1:\(try #require(listener.redirect.port))"
    _ = try await send("GET \(listener.redirect.path)?state=s1&code=c HTTP/1.1\r\nHost: \(host)", to: listener)
    let actualArrived = await arrived
    #expect(actualArrived != nil)
  }

  @Test("A browser at any stage of its request is still answered after the wait has ended, until the farewell is over")
  func lateBrowsers() async throws {
    let listener = try LoopbackListener(sleep: clock.sleep)
    let expected = try expectation(listener)
    let host = "127.0.0.1:\(try #require(listener.redirect.port))"
    let waiting = Task { await listener.firstRedirect(where: expected.accepts) }
    let halfway = try await Peer(listener)
    await halfway.write("GET \(listener.redirect.path)?state=s1&code=c HTTP/1.1\r\n")
    #expect(await eventually { clock.sleepers == 1 })
    waiting.cancel()
    let waitingValue = await waiting.value
    #expect(waitingValue == nil)
    #expect(try await send("GET /favicon.ico HTTP/1.1\r\nHost: \(host)", to: listener).hasPrefix("HTTP/1.1 404"))
    #expect(await halfway.ask("Host: \(host)\r\n\r\n").hasPrefix("HTTP/1.1 200"))
    #expect(await eventually { clock.sleepers == 0 })
  }

  @Test("A minute after the wait has ended nothing is answered")
  func farewell() async throws {
    let listener = try LoopbackListener(sleep: clock.sleep)
    let waiting = Task { await listener.firstRedirect { _ in true } }
    waiting.cancel()
    let waitingValue = await waiting.value
    #expect(waitingValue == nil)
    #expect(await eventually { clock.sleepers == 1 })
    let late = try await Peer(listener)
    #expect(await eventually { clock.sleepers == 2 })
    clock.advance(LoopbackListener.farewell)
    #expect(await late.readAll().isEmpty)
    #expect(await eventually { clock.sleepers == 0 })
  }

  @Test("ACC-10: a screen without a redirect is dismissed after ten minutes")
  func deadline() async throws {
    let screen = SystemBrowserPresenter(sleep: clock.sleep, open: { _ in true })
    let page = try #require(URL(string: "https://store.example/"))
    async let outcome = screen.present(.login) { _ in page }
    #expect(await eventually { clock.sleepers == 1 })
    clock.advance(600)
    let result = try await outcome
    #expect(result == .dismissed)
  }

  @Test("Without a browser the presentation fails and says what to install")
  func noBrowser() async throws {
    let screen = SystemBrowserPresenter(sleep: clock.sleep, open: { _ in false })
    let page = try #require(URL(string: "https://store.example/"))
    let error = await #expect(throws: ScreenPresentationError.self) { try await screen.present(.login) { _ in page } }
    #expect(error?.description.contains("xdg-utils") == true)
  }

  @Test("An opener that runs as long as the browser does not keep the redirect waiting")
  func slowOpener() async throws {
    let (pages, opened) = AsyncStream.makeStream(of: URL.self)
    let screen = SystemBrowserPresenter(sleep: clock.sleep) { page in
      opened.yield(page)
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return true
    }
    let page = try #require(URL(string: "https://store.example/"))
    async let outcome = screen.present(.payment) { page.adding([(name: "return_uri", value: $0.absoluteString)]) }
    let shown = try #require(await pages.first { _ in true })
    let redirect = try #require(shown.queryValues(named: "return_uri").first.flatMap(URL.init(string:)))
    let port = UInt16(try #require(redirect.port))
    _ = try await Peer(port: port).ask("GET \(redirect.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    let result = try await outcome
    #expect(result == .redirected(redirect))
  }

  @Test("The terminal presenter prints the page's address and comes back with the redirect")
  func terminal() async throws {
    let (printed, print) = AsyncStream.makeStream(of: String.self)
    let screen = TerminalPresenter(sleep: clock.sleep, print: { print.yield($0) })
    let (redirects, redirected) = AsyncStream.makeStream(of: URL.self)
    let page = try #require(URL(string: "https://store.example/?state=s1"))
    async let outcome = screen.present(.login) { redirect in
      redirected.yield(redirect)
      return page
    }
    let text = try #require(await printed.first { _ in true })
    #expect(text.contains(page.absoluteString))
    let redirect = try #require(await redirects.first { _ in true })
    let port = UInt16(try #require(redirect.port))
    _ = try await Peer(port: port).ask("GET \(redirect.path)?state=s1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    let result = try await outcome
    #expect(result == .redirected(redirect.adding([(name: "state", value: "s1")])))
  }

  private func expectation(_ listener: LoopbackListener) throws -> ExpectedRedirect {
    ExpectedRedirect(to: listener.redirect, from: try #require(URL(string: "https://store.example/?state=s1")))
  }

  private func send(_ head: String, to listener: LoopbackListener) async throws -> String {
    try await Peer(listener).ask(head + "\r\n\r\n")
  }
}

/// A TCP client on this machine.
struct Peer: Sendable {
  private let socket: PlatformSocket

  init(_ listener: LoopbackListener) async throws {
    try await self.init(port: UInt16(try #require(listener.redirect.port)))
  }

  init(port: UInt16) async throws { socket = try PlatformSocket.connected(to: port) }

  func write(_ text: String) async { await socket.write(Array(text.utf8)) }

  func readAll() async -> String {
    var bytes: [UInt8] = []
    while true {
      let more = await socket.read(upTo: 4096)
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }

  func ask(_ text: String) async -> String {
    await write(text)
    return await readAll()
  }
}
