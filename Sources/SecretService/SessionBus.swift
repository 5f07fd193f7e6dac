#if os(Linux)
  import Foundation

  /// A session's message bus, as GLib finds it (D-Bus specification, "Message bus"; systemd's `$XDG_RUNTIME_DIR/bus`).
  enum SessionBus {
    /// Whether there is one. GLib would start one otherwise, which held no secrets of the user's.
    static func isThere(in environment: [String: String]) -> Bool {
      if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
        return !["autolaunch:", "disabled:"].contains { address.hasPrefix($0) }
      }
      guard let folder = environment["XDG_RUNTIME_DIR"] else { return false }
      return FileManager.default.fileExists(atPath: "\(folder)/bus")
    }
  }
#endif
