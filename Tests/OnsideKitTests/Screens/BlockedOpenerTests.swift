#if os(Linux)
  import Foundation
  import OnsideCommerce
  import Synchronization
  import Testing

  @testable import OnsideKit

  /// Where no desktop helper is installed `xdg-open` runs the browser in the foreground: it returns when the user quits
  /// the browser.
  @MainActor
  @Suite("Openers that block", .timeLimit(.minutes(5)))
  struct BlockedOpenerTests {
    let clock = StepClock()

    @Test("ACC-18: the redirect ends a screen whose opener is blocked in waitpid")
    func redirected() async throws {
      let opener = try BlockedOpener()
      defer { opener.quit() }
      let screen = SystemBrowserPresenter(sleep: clock.sleep, open: opener.open)
      async let outcome = screen.present(.payment) { opener.page($0) }
      let redirect = try await opener.redirect()
      let port = UInt16(try #require(redirect.port))
      _ = try await Peer(port: port).ask("GET \(redirect.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
      let result = try await outcome
      #expect(result == .redirected(redirect))
      #expect(!opener.hasReturned)
    }

    @Test("ACC-18: the deadline ends it")
    func deadline() async throws {
      let opener = try BlockedOpener()
      defer { opener.quit() }
      let screen = SystemBrowserPresenter(sleep: clock.sleep, open: opener.open)
      async let outcome = screen.present(.payment) { opener.page($0) }
      _ = try await opener.redirect()
      #expect(await eventually { clock.sleepers == 1 })
      clock.advance(LoopbackScreen.deadline)
      let result = try await outcome
      #expect(result == .dismissed)
      #expect(!opener.hasReturned)
    }

    @Test("ACC-18, ACC-19: cancelLogin() ends it, and the next login shows a page again")
    func cancelled() async throws {
      let opener = try BlockedOpener()
      defer { opener.quit() }
      let world = ClientHarness()
      let screens = SystemBrowserPresenter(sleep: world.clock.sleep, open: opener.open)
      let dependencies = world.dependencies(screens: screens)
      let store = LocalStore(try LocalFile.configuration(""), dependencies: dependencies)
      let client = OnsideClient(localStore: store, dependencies: dependencies)
      let first = Task { try await client.login() }
      #expect(await eventually { opener.count == 1 })
      client.cancelLogin()
      await #expect(throws: OnsideLoginError.loginDiscarded) { try await first.value }
      let second = Task { try await client.login() }
      #expect(await eventually { opener.count == 2 })
      client.cancelLogin()
      await #expect(throws: OnsideLoginError.loginDiscarded) { try await second.value }
      #expect(!opener.hasReturned)
      await client.close()
      await store.close()
    }
  }

  /// Opens pages with a program that runs until the user quits it, and that holds this for as long. It does not hear of
  /// cancellations.
  private final class BlockedOpener: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "opener-\(UUID().uuidString)")
    private let state = Mutex((count: 0, hasReturned: false))
    private let pages: AsyncStream<URL>
    private let opened: AsyncStream<URL>.Continuation

    init() throws {
      (pages, opened) = AsyncStream.makeStream()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      guard mkfifo(fifo, 0o600) == 0 else { throw FileSystemFailure(call: "mkfifo", path: fifo, code: errno) }
    }

    func quit() {
      // A reader that waits for a writer ends when one has come and gone.
      for _ in 0..<count {
        let writer = Foundation.open(fifo, O_WRONLY | O_NONBLOCK)
        if writer >= 0 { close(writer) }
      }
      try? FileManager.default.removeItem(at: folder)
    }

    private var fifo: String { folder.appending(path: "life").path }
    var count: Int { state.withLock { $0.count } }
    var hasReturned: Bool { state.withLock { $0.hasReturned } }

    func page(_ redirect: URL) -> URL {
      URL(filePath: "/").adding([(name: "return_uri", value: redirect.absoluteString)])
    }

    /// Where the page that was opened leads back to.
    func redirect() async throws -> URL {
      let page = try #require(await pages.first { _ in true })
      return try #require(page.queryValues(named: "return_uri").first.flatMap(URL.init(string:)))
    }

    @Sendable func open(_ page: URL) async -> Bool {
      state.withLock { $0.count += 1 }
      opened.yield(page)
      let isWell = await SystemTool("cat", arguments: [fifo]).run()
      state.withLock { $0.hasReturned = true }
      return isWell
    }
  }
#endif
