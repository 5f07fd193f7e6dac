#if os(Linux)
  public import Foundation

  /// The apps of a Linux desktop: those whose desktop files claim a scheme (`x-scheme-handler/…`), found and opened with
  /// xdg-utils.
  public struct SystemAppOpener: AppOpener {
    /// Asks `xdg-mime`, and opens with `xdg-open`.
    public init() {}

    /// Whether a desktop file is the default for the address's scheme.
    public func canOpen(_ address: URL) async -> Bool {
      guard let scheme = address.scheme?.lowercased() else { return false }
      return await SystemTool.output("xdg-mime", ["query", "default", "x-scheme-handler/\(scheme)"])?.isEmpty == false
    }

    /// Hands the address to `xdg-open`, which may run as long as the app that it starts.
    public func open(_ address: URL) async -> Bool { await SystemTool.run("xdg-open", [address.absoluteString]) }

    /// A desktop shows many apps side by side: nobody leaves one for another.
    public func returns() async -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  }
#endif
