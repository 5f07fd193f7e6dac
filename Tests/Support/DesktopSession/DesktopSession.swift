package import Foundation
import Synchronization

/// A desktop session of one test: a home, a message bus and a keyring of its own, all real. Nothing of the user's is
/// touched, and nothing starts by itself.
package final class DesktopSession: Sendable {
  package let folder: URL
  private let children = Mutex((bus: ChildProgram?.none, keyring: ChildProgram?.none))

  /// Makes the home. There is no bus yet.
  package init() throws {
    // Short: a socket's path has 107 bytes.
    folder = FileManager.default.temporaryDirectory.appending(path: "desk-\(UUID().uuidString.prefix(8))")
    for name in ["home", "run"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  deinit {
    children.withLock { $0 = (nil, nil) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Whether the programs are installed (dbus, gnome-keyring, libsecret-1-0).
  package static var isThere: Bool {
    ["/usr/bin/dbus-daemon", "/usr/bin/gnome-keyring-daemon", "/usr/bin/gdbus"]
      .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// What programs of this session find in their environment.
  package var environment: [String: String] {
    [
      "HOME": file("home"), "XDG_RUNTIME_DIR": file("run"), "PATH": "/usr/local/bin:/usr/bin:/bin",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(file("run/bus"))",
    ]
  }

  /// Starts a bus that starts no services.
  package func startBus() async throws {
    try Data(
      """
      <busconfig><type>session</type><listen>unix:path=\(file("run/bus"))</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
      """.utf8
    ).write(to: folder.appending(path: "bus.conf"))
    let bus = try ChildProgram(
      ["dbus-daemon", "--config-file=\(file("bus.conf"))", "--nofork"], environment: environment)
    children.withLock { $0.bus = bus }
    try await answer("org.freedesktop.DBus", path: "/", method: "org.freedesktop.DBus.GetId")
  }

  /// Starts a keyring and unlocks its default collection, which is made at the first start.
  package func startKeyring() async throws {
    try Data("a password".utf8).write(to: folder.appending(path: "password"))
    let keyring = try ChildProgram(
      ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], environment: environment,
      input: file("password"))
    children.withLock { $0.keyring = keyring }
    try await answer(
      Self.secrets, path: Self.collection, method: "org.freedesktop.DBus.Properties.GetAll", arguments: Self.kind)
  }

  /// Locks the default collection.
  package func lock() async throws {
    try await answer(
      Self.secrets, path: "/org/freedesktop/secrets", method: "\(Self.service).Lock",
      arguments: "['\(Self.collection)']")
  }

  /// Kills the keyring; what it kept stays on disk.
  package func killKeyring() { children.withLock { $0.keyring = nil } }

  /// Kills the bus.
  package func killBus() { children.withLock { $0.bus = nil } }

  /// Stops the keyring process, so that it answers no request, or resumes it.
  package func pauseKeyring(_ isPaused: Bool) { children.withLock { $0.keyring?.pause(isPaused) } }

  private static let secrets = "org.freedesktop.secrets"
  private static let service = "org.freedesktop.Secret.Service"
  private static let kind = "org.freedesktop.Secret.Collection"
  private static let collection = "/org/freedesktop/secrets/collection/login"

  private func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  /// Calls a method until it is answered.
  private func answer(_ name: String, path: String, method: String, arguments: String...) async throws {
    let words =
      ["gdbus", "call", "--session", "--dest", name, "--object-path", path, "--method", method] + arguments
    let deadline = NamedDeadline("an answer of \(name) to \(method)")
    while try await ChildProgram(words, environment: environment).ended() != 0 { try await deadline.next() }
  }
}
