import Foundation

/// Why a program cannot listen, in words.
enum PortFailure {
  static func explaining(_ error: any Error, host: String, port: Int) -> any Error {
    let text = "\(error)"
    let place = "\(host):\(port)"
    if text.contains("errno: \(EADDRINUSE))") {
      return CommandFailure(
        "expected \(place) to be free, but another program listens there. Stop it, or choose another with --port.")
    }
    if text.contains("errno: \(EACCES))") {
      return CommandFailure("expected to be allowed to listen on \(place). Choose a port over 1023 with --port.")
    }
    if text.contains("UnknownHost") {
      return CommandFailure("expected a host name that this machine knows, got \(host).")
    }
    if text.contains("errno: \(EADDRNOTAVAIL))") {
      return CommandFailure("expected \(place) to be an address of this machine. Choose another with --host.")
    }
    return error
  }
}
