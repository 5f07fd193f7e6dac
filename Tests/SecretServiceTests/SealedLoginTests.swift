import DesktopSession
import Foundation
import OnsideKit
import Synchronization
import Testing

@Suite(
  "Logins sealed with a key in a real keyring", .timeLimit(.minutes(10)),
  .enabled(if: DesktopSession.isThere, "sudo apt-get install dbus gnome-keyring libsecret-1-0 libglib2.0-bin"))
struct SealedLoginTests {
  /// A store that refreshes whatever it is asked, and signs histories. Asked twice with one refresh token it gives the
  /// same answer, which may have been lost.
  final class Store: Sendable {
    let address: String
    private let used: Used
    private let serving: Task<Void, Never>

    private final class Used: Sendable {
      let tokens = Mutex<Set<String>>([])
    }

    /// How many refresh tokens were used.
    var refreshes: Int { used.tokens.withLock { $0.count } }

    init() throws {
      let server = try LoopbackServer(sleep: Dependencies.liveSleep)
      let used = Used()
      self.used = used
      address = "http://127.0.0.1:\(server.address("/").port ?? 0)"
      serving = Task {
        let _: Bool? = await server.run { request in
          guard request?.url.path() == "/oauth/token" else { return (Self.answer("a.b.c"), nil) }
          let token = request?.form["refresh_token"] ?? ""
          used.tokens.withLock { _ = $0.insert(token) }
          let number = Int(token.trimmingPrefix("refresh-")) ?? 0
          return (Self.answer(Self.tokens(number + 1)), nil)
        }
      }
    }

    deinit { serving.cancel() }

    private static func answer(_ body: String) -> LoopbackResponse {
      var response = LoopbackResponse(status: "200 OK", html: body)
      response.headers["Onside-Store"] = "1"
      return response
    }

    private static func tokens(_ number: Int) -> String {
      """
      {"access_token":"access-\(number)","token_type":"Bearer","expires_in":10,"refresh_token":"refresh-\(number)",\
      "account_id":"00000000-0000-7000-8100-000000000000","country":"NL"}
      """
    }
  }

  let store: Store
  let session: DesktopSession
  var folder: URL { session.folder.appending(path: "app", directoryHint: .isDirectory) }

  init() throws {
    store = try Store()
    session = try DesktopSession()
  }

  func app() throws -> ClientProgram {
    try ClientProgram("desktop-client", arguments: [store.address, folder.path(percentEncoded: false)], in: session)
  }

  var stored: String {
    (try? String(contentsOf: folder.appending(path: "session.json"), encoding: .utf8)) ?? ""
  }

  @Test(
    "ACC-16: the login is sealed, outlives a restart, and a keyring that is killed takes nothing from who has the key")
  func killed() async throws {
    try await session.startBus()
    try await session.startKeyring()
    let first = try app()
    let answer = try await first.ask("log-in")
    #expect(answer == "done")
    #expect(try await first.ask("log").contains("sealed with a key in the Secret Service"))
    #expect(stored.contains("sealedTokens") && !stored.contains("refresh-1"))
    first.kill()
    let second = try app()
    let secondAnswer = try await second.ask("start")
    #expect(secondAnswer == "NL")
    let thirdAnswer = try await second.ask("history")
    #expect(thirdAnswer == "a.b.c")
    session.killKeyring()
    let fourthAnswer = try await second.ask("history")
    #expect(fourthAnswer == "a.b.c")
    #expect(store.refreshes == 2)
    #expect(stored.contains("sealedTokens"))
    // Another start, without a keyring: logged in, and not able to do anything with it.
    let third = try app()
    let fifthAnswer = try await third.ask("start")
    #expect(fifthAnswer == "NL")
    let sixthAnswer = try await third.ask("history")
    #expect(sixthAnswer == "serviceUnavailable")
    let seventhAnswer = try await third.ask("who")
    #expect(seventhAnswer == "NL")
    #expect(try await third.ask("log").contains("the session is kept"))
    try await session.startKeyring()
    let eighthAnswer = try await third.ask("history")
    #expect(eighthAnswer == "a.b.c")
  }

  @Test("ACC-14: a locked keyring, and a session without a bus, log no user out")
  func locked() async throws {
    try await session.startBus()
    try await session.startKeyring()
    let answer = try await app().ask("log-in")
    #expect(answer == "done")
    try await session.lock()
    let program = try app()
    let secondAnswer = try await program.ask("start")
    #expect(secondAnswer == "NL")
    let thirdAnswer = try await program.ask("history")
    #expect(thirdAnswer == "serviceUnavailable")
    session.killKeyring()
    session.killBus()
    let fourthAnswer = try await program.ask("history")
    #expect(fourthAnswer == "serviceUnavailable")
    let fifthAnswer = try await program.ask("who")
    #expect(fifthAnswer == "NL")
    #expect(store.refreshes == 0)
    #expect(try await !program.ask("log").contains("invalid_grant"))
    try await session.startBus()
    try await session.startKeyring()
    let sixthAnswer = try await program.ask("history")
    #expect(sixthAnswer == "a.b.c")
  }

  @Test("an app whose first start had no keyring keeps its logins in a file, also when there is one later")
  func file() async throws {
    let first = try app()
    let answer = try await first.ask("log-in")
    #expect(answer == "done")
    #expect(try await first.ask("log").contains("files that only their owner can read"))
    try await session.startBus()
    try await session.startKeyring()
    let second = try app()
    let secondAnswer = try await second.ask("start")
    #expect(secondAnswer == "NL")
    let thirdAnswer = try await second.ask("history")
    #expect(thirdAnswer == "a.b.c")
    #expect(stored.contains("refresh-2"))
  }

  @Test("a key that outlived the app's folder is not used by the next installation, and is removed")
  func leftOver() async throws {
    try await session.startBus()
    try await session.startKeyring()
    let first = try app()
    let answer = try await first.ask("log-in")
    #expect(answer == "done")
    let query = "values installation xdg:schema=org.onside.Login app=io.example.lumen"
    let old = try await first.ask(query)
    let kept = stored
    first.kill()
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try kept.write(to: folder.appending(path: "session.json"), atomically: true, encoding: .utf8)
    let second = try app()
    let secondAnswer = try await second.ask("start")
    #expect(secondAnswer == "NL")
    let thirdAnswer = try await second.ask("history")
    #expect(thirdAnswer == "notSignedIn")
    #expect(try await second.ask("log").contains("left over"))
    let new = try await second.ask(query)
    #expect(!old.isEmpty && !new.isEmpty && new != old && !new.contains(","))
    #expect(store.refreshes == 0)
  }

  @Test("ACC-15: several processes with one sealed login make one refresh at a time")
  func processes() async throws {
    try await session.startBus()
    try await session.startKeyring()
    let actualAnswer = try await app().ask("log-in")
    #expect(actualAnswer == "done")
    let programs = try (0..<4).map { _ in try app() }
    for program in programs {
      let secondAnswer = try await program.ask("start")
      #expect(secondAnswer == "NL")
    }
    try await withThrowingTaskGroup(of: String.self) { group in
      for program in programs { group.addTask { try await program.ask("history") } }
      for try await answer in group { #expect(answer == "a.b.c") }
    }
    // The tokens of this store are to be refreshed at each use: the processes refreshed one after another.
    #expect(store.refreshes == 4)
    for program in programs {
      let thirdAnswer = try await program.ask("who")
      #expect(thirdAnswer == "NL")
    }
  }
}
