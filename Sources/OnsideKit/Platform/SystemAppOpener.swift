#if os(Linux)
  public import Foundation

  /// The apps of a Linux desktop: those whose desktop files claim a scheme (`x-scheme-handler/…`).
  public struct SystemAppOpener: AppOpener {
    private let environment: [String: String]?

    /// Makes an opener that asks `xdg-mime` for a scheme's app, and opens with `gio open` or, where that is missing,
    /// `xdg-open`.
    /// - Parameter environment: describes the desktop (`XDG_DATA_HOME`, `XDG_CONFIG_HOME`, `DISPLAY`); this process's
    ///   own unless given.
    public init(environment: [String: String]? = nil) { self.environment = environment }

    /// Whether a desktop file is the default for the address's scheme.
    public func canOpen(_ address: URL) async -> Bool {
      guard let scheme = address.scheme?.lowercased() else { return false }
      let asked = SystemTool(
        "xdg-mime", arguments: ["query", "default", "x-scheme-handler/\(scheme)"], environment: environment)
      return await asked.output()?.isEmpty == false
    }

    /// Hands the address over. `xdg-open` may run for as long as the app that it starts.
    public func open(_ address: URL) async -> Bool {
      if await SystemTool("gio", arguments: ["open", address.absoluteString], environment: environment).run() {
        return true
      }
      return await SystemTool("xdg-open", arguments: [address.absoluteString], environment: environment).run()
    }

    /// A stream that ends at once: a desktop shows many apps side by side, so the user does not leave one for another.
    public func returns() async -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  }
#endif
