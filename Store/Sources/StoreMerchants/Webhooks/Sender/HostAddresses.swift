import Foundation
import StoreWeb

/// The system's lookup of names.
enum HostAddresses {
  /// The addresses of a name in the order of preference; empty if it has none. Blocks for up to the time limit of the
  /// system's resolver.
  static func of(_ host: String) -> [IPAddress] {
    if let address = IPAddress(host) { return [address] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0 else { return [] }
    var addresses: [IPAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = numeric(entry).flatMap({ IPAddress($0) }) { addresses.append(address) }
      next = entry.ai_next
    }
    return addresses
  }

  private static func numeric(_ entry: addrinfo) -> String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let size = socklen_t(text.count)
    guard getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }
}
