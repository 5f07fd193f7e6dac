#if os(Linux)
  import Foundation
  import Synchronization

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

  extension LibSecret {
    /// The connection to the session's bus that this process shares, since libsecret takes no other. When the bus went
    /// away and is back it is another one.
    func sessionBus(_ cancellation: Cancellation) throws(SecretServiceError) -> Object {
      try busTurn.withLock { _ throws(SecretServiceError) in
        contextPush(busContext)
        defer { contextPop(busContext) }
        for _ in 0..<2 {
          // G_BUS_TYPE_SESSION.
          let bus = try object("connect to the session bus") { self.bus(2, cancellation.object, $0) }
          // Unless told otherwise it ends the process when the bus goes away.
          setExitOnClose(bus, 0)
          guard isClosed(bus) != 0 else { return bus }
          objectUnref(bus)
          finish(busContext)
        }
        throw .unavailable("the session bus has gone away")
      }
    }

    /// Runs the pending work of a context. Until then GLib keeps its connection, also a closed one, and makes no other.
    func finish(_ context: Object) { while contextIterate(context, 0) != 0 {} }
  }
#endif
