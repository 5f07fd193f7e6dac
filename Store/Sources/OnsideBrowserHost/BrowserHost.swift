public import Foundation
import Hummingbird
import Logging
public import OnsideKit

/// `window.onside` for a page in an ordinary browser, so that web developers work without a device. For development
/// only: a process that can read the page's script can buy in the name of the account that is logged in here.
///
/// It listens on 127.0.0.1, and accepts requests from pages of one origin that send its token.
public final class BrowserHost: Sendable {
  let settings: BrowserHostSettings
  let tabs: Tabs
  let log: TrafficLog
  /// The bridge's limits hold here as in web views.
  let limits: BridgeLimits
  /// A logger without output for the HTTP server; the host writes its own log.
  static let silence = Logger(label: "onside-dev") { _ in SwiftLogNoOpLogHandler() }

  /// A host for the client of a bridge.
  /// - Parameters:
  ///   - now: the clock for the times in the log.
  ///   - log: called with one readable line for every call, result and event.
  public init(
    bridge: OnsideBridge, settings: BrowserHostSettings, now: @escaping @Sendable () -> Date = { Date() },
    log: (@Sendable (String) -> Void)? = nil
  ) {
    self.settings = settings
    limits = bridge.limits
    tabs = Tabs { bridge.makeView() }
    self.log = TrafficLog(now: now, write: log)
  }

  /// Serves until the task is cancelled.
  /// - Parameter onListening: called once the socket is open, with the address of the page and its script tag.
  public func run(onListening: @escaping @Sendable (BrowserHostAddress) async -> Void) async throws {
    let door = Door(log: log)
    defer { tabs.close() }
    let application = Application(
      router: router(door),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: settings.port)),
      onServerRunning: { [settings] channel in
        guard let port = channel.localAddress?.port, let address = BrowserHostAddress(settings, port: port)
        else { return }
        door.open(RequestGuard(page: address.origin, port: port, token: settings.token), at: address)
        await onListening(address)
      },
      logger: Self.silence)
    try await application.run()
  }
}
