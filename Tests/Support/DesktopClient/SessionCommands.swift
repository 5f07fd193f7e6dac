import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import TestSupport

/// An app with a login: its store and its storage folder are the program's arguments.
final class SessionCommands {
  private let address: URL
  private let dependencies: Dependencies
  private let log = LogRecorder()
  private var store: RemoteStore?
  private static let app = "io.example.lumen"

  init?(_ arguments: [String]) {
    guard arguments.count == 2, let address = URL(string: arguments[0]) else { return nil }
    self.address = address
    dependencies = .live(storageFolder: URL(filePath: arguments[1]), logger: log.logger)
  }

  func answer(_ words: [String]) async -> String? {
    switch words.first {
    case "log-in": return await logIn()
    case "start":
      let store = RemoteStore(store: address, app: Self.app, dependencies: dependencies)
      self.store = store
      return store.signedIn?.country.alpha2 ?? "signed out"
    case "who": return store?.signedIn?.country.alpha2 ?? "signed out"
    case "history":
      do { return try await store?.signedHistory() ?? "not started" } catch { return "\(error)" }
    case "log": return log.take().map { "\($0.level): \($0.text)" }.joined(separator: " | ")
    default: return nil
    }
  }

  /// Stores a login whose access token has expired.
  private func logIn() async -> String {
    let file = SessionFile(seal: TokenSeal(app: Self.app, dependencies: dependencies), dependencies: dependencies)
    let message = TokenMessage(
      accessToken: "access-1", expiresIn: 10, refreshToken: "refresh-1",
      accountID: AccountID(UUID.version7(at: .distantPast, random: [1])), country: .netherlands)
    do {
      try await file.seal.prepare(.seal)
      try file.write(Session(message, store: address, app: Self.app, now: Date()))
      return "done"
    } catch {
      return "\(error)"
    }
  }
}
