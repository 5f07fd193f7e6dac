package import Foundation

extension URL {
  /// Whether requests to it are protected on their way: https, or plain http to this machine.
  package var isSecureWebAddress: Bool {
    guard let host = host()?.lowercased(), !host.isEmpty else { return false }
    let loopback = ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
    return scheme?.lowercased() == "https" || (scheme?.lowercased() == "http" && loopback)
  }
}
