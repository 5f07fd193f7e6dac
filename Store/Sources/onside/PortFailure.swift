import Foundation
import OnsideStore

/// Errors about the ports of a store.
enum PortFailure {
  /// Throws if the clients' port or the monitoring port is in use, or if both are the same.
  static func checkFree(_ store: StoreConfiguration) throws {
    try checkFree(host: store.host, port: store.port)
    let monitoring = store.monitoring
    guard let port = monitoring.port else { return }
    guard (monitoring.host, port) != (store.host, store.port) || port == 0 else {
      throw CommandFailure("expected monitoring.port to differ from the clients' port \(port) on \(monitoring.host)")
    }
    try checkFree(host: monitoring.host, port: port, key: "monitoring.port")
  }

  /// Throws if another program listens at a place: before a database is made for a store that cannot serve.
  static func checkFree(host: String, port: Int, key: String = "--port") throws {
    var list: UnsafeMutablePointer<addrinfo>?
    // Other faults are reported by the server.
    guard port != 0, getaddrinfo(host, String(port), nil, &list) == 0, let place = list?.pointee else { return }
    defer { freeaddrinfo(list) }
    let listener = socket(place.ai_family, Int32(SOCK_STREAM.rawValue), 0)
    guard listener >= 0 else { return }
    defer { close(listener) }
    var isOn: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    if bind(listener, place.ai_addr, place.ai_addrlen) != 0, errno == EADDRINUSE { throw inUse(host, port, key: key) }
  }

  private static func inUse(_ host: String, _ port: Int, key: String = "--port") -> CommandFailure {
    CommandFailure(
      "expected \(host):\(port) to be free, but another program listens there. Stop it, or choose another with \(key).")
  }

  static func explaining(_ error: any Error, host: String, port: Int) -> any Error {
    let text = "\(error)"
    let place = "\(host):\(port)"
    if text.contains("errno: \(EADDRINUSE))") {
      return inUse(host, port)
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
