public import Foundation
import Hummingbird
import Logging
public import OnsideKit

/// `window.onside` for a page in an ordinary browser, so that web developers work without a device. For development
/// only: whoever can read the page's script can buy in the name of the account that is logged in here.
///
/// It listens on 127.0.0.1, and lets in pages of one origin that know its token.
public final class BrowserHost: Sendable {
  let settings: BrowserHostSettings
  let tabs: Tabs
  let log: TrafficLog
  /// The bridge's limits hold here as in web views.
  let limits: BridgeLimits
  /// The server underneath says nothing by itself.
  static let silence = Logger(label: "onside-dev") { _ in SwiftLogNoOpLogHandler() }

  /// A host for the client of a bridge.
  /// - Parameters:
  ///   - log: hears of every call, result and event, one readable line each.
  ///   - now: the clock of the lines.
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
  /// - Parameter onListening: told where the page is and which script tag it needs once the socket is open.
  public func run(onListening: @escaping @Sendable (BrowserHostAddress) async -> Void) async throws {
    let door = Door(log: log)
    defer { tabs.close() }
    let application = Application(
      router: router(door),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: settings.port)),
      onServerRunning: { [settings] channel in
        guard let port = channel.localAddress?.port, let address = BrowserHostAddress(settings, port: port)
        else { return }
        door.open(Doorkeeper(page: address.origin, port: port, token: settings.token), at: address)
        await onListening(address)
      },
      logger: Self.silence)
    try await application.run()
  }
}
