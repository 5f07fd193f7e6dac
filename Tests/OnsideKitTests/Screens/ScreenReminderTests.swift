import Foundation
import Synchronization
import Testing

@testable import OnsideKit

@MainActor
@Suite("Screens that are brought back", .timeLimit(.minutes(5)))
struct ScreenReminderTests {
  let world = ClientHarness()

  @Test("QUE-24: a reminder opens the page again, and the redirect still ends the screen")
  func opensAgain() async throws {
    let (pages, opened) = AsyncStream.makeStream(of: URL.self)
    let browser = SystemBrowserPresenter(sleep: world.clock.sleep) { page in
      opened.yield(page)
      return true
    }
    let reminder = ScreenReminder(openedAt: world.clock.now)
    let screens = reminder.screens(browser)
    async let outcome = screens.present(.payment) { redirect in
      URL(filePath: "/").adding([(name: "return_uri", value: redirect.absoluteString), (name: "state", value: "s")])
    }
    var shown = pages.makeAsyncIterator()
    let first = try #require(await shown.next())
    reminder.remind(at: world.clock.now)
    world.clock.advance(ScreenReminder.pause)
    reminder.remind(at: world.clock.now)
    // The reminder of a double press was dropped: this is the second opening.
    let next = await shown.next()
    #expect(next == first)
    let redirect = try #require(first.queryValues(named: "return_uri").first.flatMap(URL.init(string:)))
    let port = UInt16(try #require(redirect.port))
    _ = try await Peer(port: port).ask("GET \(redirect.path)?state=s HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    let result = try await outcome
    #expect(result == .redirected(redirect.adding([(name: "state", value: "s")])))
  }

  @Test("QUE-24: a page that cannot be opened a second time stays what it was")
  func secondOpeningFails() async throws {
    let count = Mutex(0)
    let browser = SystemBrowserPresenter(sleep: world.clock.sleep) { _ in
      count.withLock { count in
        count += 1
        return count == 1
      }
    }
    let reminder = ScreenReminder(openedAt: world.clock.now)
    let screens = reminder.screens(browser)
    async let outcome = screens.present(.payment) { $0 }
    #expect(await eventually { world.clock.sleepers == 1 && count.withLock { $0 } == 1 })
    world.clock.advance(ScreenReminder.pause)
    reminder.remind(at: world.clock.now)
    #expect(await eventually { count.withLock { $0 } == 2 })
    world.clock.advance(LoopbackScreen.deadline)
    let result = try await outcome
    #expect(result == .dismissed)
  }

  @Test("ACC-18: a second wish for a login while its page is open opens the page again")
  func login() async throws {
    let shown = Mutex<[URL]>([])
    let browser = SystemBrowserPresenter(sleep: world.clock.sleep) { page in
      shown.withLock { $0.append(page) }
      return true
    }
    let dependencies = world.dependencies(screens: browser)
    let store = LocalStore(try LocalFile.configuration(""), dependencies: dependencies)
    let client = OnsideClient(localStore: store, dependencies: dependencies)
    let first = Task { try? await client.login() }
    #expect(await eventually { shown.withLock { $0.count } == 1 })
    let double = Task { try? await client.login() }
    #expect(await eventually { client.account.waiting.count == 2 })
    world.clock.advance(ScreenReminder.pause)
    let again = Task { try? await client.login() }
    #expect(await eventually { shown.withLock { $0.count } == 2 })
    let page = try #require(shown.withLock { $0 }.last)
    #expect(shown.withLock { Set($0) } == [page])
    _ = try await LocalBrowser.send([(name: "name", value: "Alice"), (name: "act", value: "go")], to: page)
    let patience = world.clock.begun
    #expect(await eventually { world.clock.begun >= patience && world.clock.sleepers > 0 })
    #expect(
      await eventually {
        world.clock.advance(LocalScreen.patience)
        return client.defaultPaymentQueue().storefront != nil
      })
    for waiter in [first, double, again] {
      let login: Void? = await waiter.value
      #expect(login != nil)
    }
    await client.close()
    await store.close()
  }
}
