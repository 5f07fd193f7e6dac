import DesktopSession
import Foundation
import Glibc
import OnsideKit
import OnsideWebKitGTK
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Logins through desktop files: `gio open` starts the real `onside-storeapp` and the apps, each by its own file. The
/// store is a stand-in that checks PKCE; the real one is in `onside-conformance` and `script/demo`.
@MainActor
@Suite(
  "Logins over real desktop files", .needsDisplay, .serialized, .timeLimit(.minutes(5)),
  .enabled(if: DesktopEntryTests.hasDesktopTools, "sudo apt-get install xdg-utils libglib2.0-bin"))
struct DesktopLoginTests {
  @Test("ACC-7: the desktop starts the store's app, its answer starts the app, and the user is logged in")
  func handOver() async throws {
    let desk = try await Desk()
    let login = desk.logIn()
    let answer = try await desk.opened("lumen")
    #expect(desk.client.handle(url: answer))
    #expect(await login.value)
    #expect(desk.client.defaultPaymentQueue().storefront?.countryCode == "NL" && desk.screens.count == 0)
    try await desk.close()
  }

  @Test("ACC-7: no user is logged in at the store, and it is slow: its pages are shown, and the answer is the same")
  func notLoggedIn() async throws {
    let desk = try await Desk(.loginFirst)
    let login = desk.logIn()
    try await desk.store.asked(1)
    desk.store.goOn()
    #expect(desk.client.handle(url: try await desk.opened("lumen")))
    #expect(await login.value)
    try await desk.close()
  }

  @Test("ACC-7: a store's app that was taken away is not asked, and the app has its own screen")
  func uninstalled() async throws {
    let desk = try await Desk()
    try await desk.register("--unregister")
    #expect(await !desk.logIn().value)
    #expect(desk.screens.count == 1 && desk.session.processes(of: "onside-storeapp").isEmpty)
    try await desk.close()
  }

  @Test("ACC-9: another program that claims the scheme gets a code that is worth nothing; the app's next login works")
  func thief() async throws {
    let desk = try await Desk()
    try desk.install("thief")
    let first = desk.logIn()
    let stolen = try await desk.opened("thief")
    #expect(desk.opened(all: "lumen").isEmpty)
    let items = URLComponents(url: stolen, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let code = try #require(items.first { $0.name == "code" }?.value)
    let guess = CodeVerifier(randomBytes: { [UInt8](repeating: 7, count: $0) })
    let exchange = try await desk.store.exchange(code, verifier: guess)
    #expect(exchange == 400)
    desk.client.cancelLogin()
    #expect(await !first.value)
    try desk.install("lumen")
    let second = desk.logIn()
    #expect(desk.client.handle(url: try await desk.opened("lumen")))
    #expect(await second.value)
    try await desk.close()
  }

  @Test("ACC-10: a store's app that is closed in the middle: the login can be cancelled, and the next one works")
  func closed() async throws {
    let desk = try await Desk(.loginFirst)
    let first = desk.logIn()
    try await desk.store.asked(1)
    try await desk.session.end("onside-storeapp")
    desk.client.cancelLogin()
    #expect(await !first.value)
    desk.store.goOn()
    let second = desk.logIn()
    #expect(desk.client.handle(url: try await desk.opened("lumen")))
    #expect(await second.value)
    try await desk.close()
  }

  @Test("ACC-10: hostile links open the store's app and nothing else; a login afterwards works")
  func hostile() async throws {
    let desk = try await Desk()
    let query = "response_type=code&client_id=x&code_challenge=a&code_challenge_method=S256&state=s"
    for link in [
      "onside://authorize?\(query)&redirect_uri=lumen%3A%2F%2Fonside&iss=https%3A%2F%2Fevil.example",
      "onside://authorize?\(query)&redirect_uri=file%3A%2F%2F%2Fetc%2Fpasswd&iss=\(desk.store.address)",
      "onside://authorize?\(String(repeating: "a", count: 20_000))", "onside://$(touch%20/tmp/x)/`id`",
    ] {
      #expect(await desk.opener.open(try #require(URL(string: link))))
    }
    try await NamedDeadline.wait(for: "one process of the store's app") {
      desk.session.processes(of: "onside-storeapp").count == 1
    }
    let login = desk.logIn()
    #expect(desk.client.handle(url: try await desk.opened("lumen")))
    #expect(await login.value)
    #expect(desk.store.asks == 1)
    try await desk.close()
  }

  @Test("ACC-8: the app has ended when its answer comes: the next start of the app is logged in")
  func appHasEnded() async throws {
    let desk = try await Desk(.loginFirst)
    _ = desk.logIn()
    try await desk.store.asked(1)
    await desk.client.close()
    desk.store.goOn()
    let answer = try await desk.opened("lumen")
    desk.restart()
    #expect(desk.client.handle(url: answer))
    try await NamedDeadline.wait(for: "the storefront of the login") {
      desk.client.defaultPaymentQueue().storefront != nil
    }
    try await desk.close()
  }
}

/// A desktop with the store's app, an app, and the store.
@MainActor
private final class Desk {
  let session: DesktopSession
  let store: StoreStandIn
  let screens = NoScreens()
  private(set) var client: OnsideClient

  init(_ behaviour: StoreStandIn.Behaviour = .answers) async throws {
    session = try DesktopSession()
    store = try StoreStandIn(behaviour)
    client = try Self.client(store, session: session, screens: screens)
    try await register("--register")
    try install("lumen")
  }

  private static func client(
    _ store: StoreStandIn, session: DesktopSession, screens: NoScreens
  ) throws -> OnsideClient {
    var dependencies = Dependencies.live(storageFolder: session.folder.appending(path: "app"), screens: screens)
    dependencies.keepSecretsInFiles()
    dependencies.apps = SystemAppOpener(environment: environment(session))
    let client = OnsideClient(
      configuration: try OnsideConfiguration(
        storeURL: store.address, appIdentifier: "io.example.lumen",
        storageFolder: session.folder.appending(path: "app")),
      dependencies: dependencies)
    client.callbackScheme = "lumen"
    return client
  }

  /// Another start of the app.
  func restart() { if let next = try? Self.client(store, session: session, screens: screens) { client = next } }

  private static func environment(_ session: DesktopSession) -> [String: String] {
    var environment = session.environment
    // GTK needs what the system has.
    environment["XDG_DATA_DIRS"] = "/usr/local/share:/usr/share"
    environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
    for name in ["DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "LD_LIBRARY_PATH"] {
      environment[name] = ProcessInfo.processInfo.environment[name]
    }
    return environment
  }

  var opener: SystemAppOpener { SystemAppOpener(environment: Self.environment(session)) }

  /// Registers the store's app, or unregisters it.
  func register(_ option: String) async throws {
    let status = try await ChildProgram(
      [
        ClientProgram.path(of: "onside-storeapp"), option, "--store", store.address.absoluteString, "--storage",
        session.folder.appending(path: "storeapp").path,
      ], environment: Self.environment(session)
    ).ended()
    #expect(status == 0)
  }

  /// Installs an app that writes down what it is opened with, as the default of the app's scheme.
  func install(_ app: String) throws {
    let program = session.folder.appending(path: app)
    // Close-on-exec: a browser that another test starts meanwhile must not hold the file open for writing, or the
    // program could not be run (ETXTBSY).
    let descriptor = open(program.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o700)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data("#!/bin/sh\nprintf '%s\\n' \"$1\" >> '\(program.path).opened'\n".utf8))
    try file.close()
    let desktop = try #require(Desktop(environment: Self.environment(session)))
    try DesktopEntry(id: app, name: app, command: [program.path], schemes: ["lumen"]).register(desktop)
  }

  /// The addresses that an app has been opened with so far.
  func opened(all app: String) -> [URL] {
    let text = (try? String(contentsOf: session.folder.appending(path: "\(app).opened"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { URL(string: String($0)) }
  }

  /// Waits until an app is opened; returns the address.
  func opened(_ app: String) async throws -> URL {
    try await NamedDeadline.wait(for: "\(app) to be opened") { !opened(all: app).isEmpty }
    return try #require(opened(all: app).last)
  }

  func logIn() -> Task<Bool, Never> { Task { [client] in (try? await client.login()) != nil } }

  func close() async throws {
    await client.close()
    try await session.end("onside-storeapp")
  }
}

/// Screens that are closed at once, counted.
private final class NoScreens: ScreenPresenter {
  private let shown = Mutex(0)
  var count: Int { shown.withLock { $0 } }

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    shown.withLock { $0 += 1 }
    return .dismissed
  }
}

/// A stand-in for the store: gives every login a code, at once or after its login page, and exchanges a code once, with
/// its verifier.
private final class StoreStandIn: Sendable {
  enum Behaviour { case answers, loginFirst }
  private struct State {
    var isLoggedIn: Bool
    var asks = 0
    var challenges: [String: String] = [:]
  }
  private final class Box: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
  }
  let address: URL
  private let box: Box
  private let serving: Task<Void, Never>

  init(_ behaviour: Behaviour) throws {
    let server = try LoopbackServer(sleep: Dependencies.liveSleep)
    let box = Box(State(isLoggedIn: behaviour == .answers))
    self.box = box
    address = try #require(URL(string: "http://127.0.0.1:\(server.address("/").port ?? 0)"))
    serving = Task {
      let _: Bool? = await server.run { request in
        guard let request else { return (LoopbackResponse(status: "400 Bad Request", html: ""), nil) }
        switch request.url.path() {
        case "/oauth/authorize": return (box.state.withLock { Self.authorize(request.url, in: &$0) }, nil)
        case "/oauth/token":
          var response = box.state.withLock { Self.token(request.form, in: &$0) }
          response.headers["Onside-Store"] = "1"
          return (response, nil)
        default: return (LoopbackResponse(status: "404 Not Found", html: ""), nil)
        }
      }
    }
  }

  deinit { serving.cancel() }

  /// How many logins were asked for.
  var asks: Int { box.state.withLock { $0.asks } }

  func asked(_ times: Int) async throws {
    try await NamedDeadline.wait(for: "\(times) logins at the store") { asks >= times }
  }

  /// The user logs in at the store.
  func goOn() { box.state.withLock { $0.isLoggedIn = true } }

  private static func authorize(_ url: URL, in state: inout State) -> LoopbackResponse {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    state.asks += 1
    guard state.isLoggedIn else {
      // The login page; it looks again and again whether the user is done.
      return LoopbackResponse(status: "200 OK", html: "<meta http-equiv=refresh content=0.2>Log in")
    }
    let code = "code-\(state.asks)"
    state.challenges[code] = query["code_challenge"]
    let answer = "\(query["redirect_uri"] ?? "")?code=\(code)&state=\(query["state"] ?? "")"
    return LoopbackResponse(status: "303 See Other", html: "", location: URL(string: answer))
  }

  private static func token(_ form: [String: String], in state: inout State) -> LoopbackResponse {
    guard let challenge = state.challenges.removeValue(forKey: form["code"] ?? ""),
      CodeVerifier(form["code_verifier"] ?? "").challenge == challenge
    else { return LoopbackResponse(status: "400 Bad Request", html: #"{"error":"invalid_grant"}"#) }
    return LoopbackResponse(
      status: "200 OK",
      html: """
        {"access_token":"a","token_type":"Bearer","expires_in":600,"refresh_token":"r",\
        "account_id":"00000000-0000-7000-8100-000000000000","country":"NL"}
        """)
  }

  /// The status of a code exchange by another program than the app.
  func exchange(_ code: String, verifier: CodeVerifier) async throws -> Int {
    var request = URLRequest(url: address.appending(path: "oauth/token"))
    request.httpMethod = "POST"
    request.httpBody = Data("grant_type=authorization_code&code=\(code)&code_verifier=\(verifier.revealed)".utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }
}
