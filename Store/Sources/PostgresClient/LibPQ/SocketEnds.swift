import Glibc

/// The numeric addresses of both ends of a TCP connection.
struct SocketEnds {
  let own: String
  let peer: String

  init(own: String, peer: String) {
    self.own = own
    self.peer = peer
  }

  /// Nil for another kind of socket, and before it is connected.
  init?(_ descriptor: Int32) {
    guard let own = Self.address(descriptor, getsockname), let peer = Self.address(descriptor, getpeername) else {
      return nil
    }
    self.init(own: own, peer: peer)
  }

  /// Whether the peer is another machine: neither a loopback address nor the address of the own end.
  var isOtherMachine: Bool { peer != own && !Self.loopback.contains { peer.hasPrefix($0) } && peer != "::1" }

  private static let loopback = ["127.", "::ffff:127."]

  private static func address(
    _ descriptor: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> String? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard ask(descriptor, address, &length) == 0, address.pointee.sa_family != AF_UNIX else { return nil }
        return name(of: address, length: length)
      }
    }
  }

  private static func name(of address: UnsafePointer<sockaddr>, length: socklen_t) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
      guard let start = text.baseAddress,
        getnameinfo(address, length, start, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return String(cString: start)
    }
  }
}
