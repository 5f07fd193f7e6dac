import CPostgres
import Glibc

/// libpq's non-blocking connect gives all of a name's addresses one deadline together: the first one that is silent
/// would use it up. Here each address has its own.
enum HostResolver {
  /// The host once for each of its addresses.
  static func endpoints(of host: PostgresAddress.Host) throws(PostgresError) -> [PostgresAddress.Host] {
    // No name, a socket's folder, or a socket's abstract name.
    guard host.address == nil, let name = host.name, name.first != "/", name.first != "@" else { return [host] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0, list != nil else {
      throw PostgresError(
        .unreachable, message: "the host \(name) is not known: \(String(cString: gai_strerror(code)))")
    }
    var endpoints: [PostgresAddress.Host] = []
    var next = list
    while let entry = next?.pointee {
      if let address = numeric(entry) {
        var endpoint = host
        endpoint.address = address
        endpoints.append(endpoint)
      }
      next = entry.ai_next
    }
    return endpoints
  }

  private static func numeric(_ entry: addrinfo) -> String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let size = socklen_t(text.count)
    guard getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }
}
