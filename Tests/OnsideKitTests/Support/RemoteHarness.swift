import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization

@testable import OnsideKit

/// A store that hands out tokens as the real one does, with faults on demand.
final class TokenDesk: Sendable {
  struct State {
    var generation = 1
    var access = "access-1"
    var country = CountryCode.netherlands
    /// The answers to the next refreshes, in order.
    var faults: [HTTPServerDouble.Answer] = []
    /// The answers to the next revocations, in order.
    var revocationFaults: [HTTPServerDouble.Answer] = []
    var refreshes = 0
    var revoked: [String] = []
    /// A stream whose next element each refresh waits for; nil to answer at once.
    var gate: AsyncStream<Void>?
  }
  let state = Mutex(State())

  /// Answers the OAuth routes; nil for every other route.
  func answer(_ request: HTTPServerDouble.Request) async -> HTTPServerDouble.Answer? {
    switch request.path {
    case "/oauth/token": return await tokens(request.form)
    case "/oauth/revoke":
      return state.withLock { state in
        if !state.revocationFaults.isEmpty { return state.revocationFaults.removeFirst() }
        state.revoked.append(request.form["token"] ?? "")
        return .json(200, "")
      }
    default: return nil
    }
  }

  /// Whether a call carries the current access token.
  func accepts(_ request: HTTPServerDouble.Request) -> Bool {
    state.withLock { $0.access } == request.bearer
  }

  private func tokens(_ form: [String: String]) async -> HTTPServerDouble.Answer {
    if let gate = state.withLock({ $0.gate }) { for await _ in gate { break } }
    return state.withLock { state in
      if form["grant_type"] == "refresh_token" {
        state.refreshes += 1
        if !state.faults.isEmpty { return state.faults.removeFirst() }
        guard form["refresh_token"] == "refresh-\(state.generation)" else {
          return .json(400, #"{"error":"invalid_grant"}"#)
        }
        state.generation += 1
        state.access = "access-\(state.generation)"
      } else if form["code"] != "right" {
        return .json(400, #"{"error":"invalid_grant"}"#)
      }
      return .json(200, Self.message(state))
    }
  }

  private static func message(_ state: State) -> String {
    """
    {"access_token":"\(state.access)","token_type":"Bearer","expires_in":600,\
    "refresh_token":"refresh-\(state.generation)",\
    "account_id":"\(SignedIn.alice.accountID)","country":"\(state.country)"}
    """
  }
}

/// A remote store against a server double.
struct RemoteHarness: Sendable {
  let world: ClientHarness
  let secrets: (any SecretStore)?
  let desk = TokenDesk()
  let server: HTTPServerDouble

  /// - Parameter answer: answers the calls that are not OAuth's.
  init(
    world: ClientHarness = ClientHarness(), secrets: (any SecretStore)? = nil,
    _ answer: @escaping @Sendable (HTTPServerDouble.Request) -> HTTPServerDouble.Answer = { _ in .json(404, "") }
  ) throws {
    self.world = world
    self.secrets = secrets
    server = try HTTPServerDouble { [desk] request in
      if let tokens = await desk.answer(request) { return tokens }
      if request.bearer != nil, !desk.accepts(request) {
        return .json(401, problem(401, code: "not_authenticated"))
      }
      return answer(request)
    }
  }

  func store(screens: any ScreenPresenter = NobodyLooks()) -> RemoteStore {
    var dependencies = world.dependencies(screens: screens)
    dependencies.secrets = secrets
    return RemoteStore(store: server.url, app: "io.example.lumen", dependencies: dependencies)
  }

  /// Stores a session as a login of an earlier launch would have.
  func signIn(lasting seconds: Int = 600, generation: Int = 1) throws {
    let message = TokenMessage(
      accessToken: "access-\(generation)", expiresIn: seconds, refreshToken: "refresh-\(generation)",
      accountID: SignedIn.alice.accountID, country: .netherlands)
    try file.write(Session(message, store: server.url, app: "io.example.lumen", now: world.clock.now))
  }

  /// From now on no session can be saved: a folder is where the new file has to be written.
  func fillDisk() throws {
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
  }

  func freeDisk() throws { try FileManager.default.removeItem(at: obstacle) }

  private var obstacle: URL { world.folder.appending(path: "session.json.tmp") }

  var file: SessionFile { world.sessionFile(secrets: secrets) }
}

extension ClientHarness {
  /// The session of this world's folder, as another process sees it.
  func sessionFile(secrets: (any SecretStore)? = nil) -> SessionFile {
    var dependencies = dependencies()
    dependencies.secrets = secrets
    return SessionFile(seal: TokenSeal(app: "io.example.lumen", dependencies: dependencies), dependencies: dependencies)
  }
}

extension Session {
  /// The refresh token of a session that is not sealed.
  var refreshToken: RefreshToken? {
    guard case .open(let pair) = tokens else { return nil }
    return pair.refreshToken
  }
}

func problem(_ status: Int, code: String, more: String = "") -> String {
  #"{"type":"/problems/\#(code)","title":"A problem","status":\#(status),"code":"\#(code)"\#(more)}"#
}
