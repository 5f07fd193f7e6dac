import Foundation
import Synchronization
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct CallbackInboxTests {
  let redirect = URL(filePath: "/")

  func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  /// Opens a page whose redirect only the system can bring back.
  struct WaitingScreen: ScreenPresenter {
    let redirect: URL
    let opened: AsyncStream<URL>.Continuation

    func present(
      _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
    ) async throws -> ScreenOutcome {
      opened.yield(try await page(redirect))
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return .dismissed
    }
  }

  @Test("ACC-8: a callback with an unknown state or a spent code changes nothing; the right one ends the screen once")
  func callbacks() async throws {
    let inbox = CallbackInbox()
    let (opened, continuation) = AsyncStream.makeStream(of: URL.self)
    let screens = ClientScreens(
      base: WaitingScreen(redirect: try url("lumen://onside"), opened: continuation), inbox: inbox,
      languages: { ["nl-NL", "en"] }, theme: { _ in .dark })
    let page = try url("https://store.example/oauth/authorize?state=s1")
    async let outcome = screens.present(.login) { _ in page }
    var pages = opened.makeAsyncIterator()
    let shown = try #require(await pages.next())
    #expect(shown.query() == "state=s1&theme=dark&ui_locales=nl-NL%20en")
    inbox.receive(try url("lumen://onside?state=other&code=x"))
    inbox.receive(try url("lumen://onside"))
    inbox.receive(try url("lumen://onside?state=s1&code=right"))
    inbox.receive(try url("lumen://onside?state=s1&code=again"))
    let (result, right) = (try await outcome, try url("lumen://onside?state=s1&code=right"))
    #expect(result == .redirected(right))
    inbox.receive(try url("lumen://onside?state=s1&code=right"))
  }

  @Test("Cancelling the task closes the screen")
  func cancelled() async throws {
    let (opened, continuation) = AsyncStream.makeStream(of: URL.self)
    let screens = ClientScreens(
      base: WaitingScreen(redirect: try url("lumen://onside"), opened: continuation), inbox: CallbackInbox(),
      languages: { [] }, theme: { _ in .auto })
    let page = try url("https://store.example/")
    let task = Task { try await screens.present(.login) { _ in page } }
    for await _ in opened { break }
    task.cancel()
    let taskValue = try await task.value
    #expect(taskValue == .dismissed)
  }
}
