import Foundation

/// An address by its bytes, so that one that is written in two ways counts as one.
package enum IPAddress: Sendable, Hashable, CustomStringConvertible {
  case four([UInt8])
  case six([UInt8])

  /// The bytes in the network's order: 4 or 16.
  package var bytes: [UInt8] {
    switch self {
    case .four(let bytes), .six(let bytes): bytes
    }
  }

  /// The address in its usual notation, in which IPv6 has all eight groups: `192.0.2.7`, `2001:db8:0:0:0:0:0:7`.
  package var description: String {
    switch self {
    case .four(let bytes): bytes.map(String.init).joined(separator: ".")
    case .six(let bytes):
      stride(from: 0, to: bytes.count, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        .joined(separator: ":")
    }
  }

  /// Reads an address, also with a port, brackets or a zone, as proxies write them.
  package init?(_ text: String) {
    var host = Substring(text)
    if host.hasPrefix("[") {
      host = host.dropFirst().prefix { $0 != "]" }
    } else if host.contains("."), host.count(where: { $0 == ":" }) == 1 {
      host = host.prefix { $0 != ":" }
    }
    let plain = String(host.prefix { $0 != "%" })
    if let bytes = Self.bytes(plain, family: AF_INET, count: 4) {
      self = .four(bytes)
    } else if let bytes = Self.bytes(plain, family: AF_INET6, count: 16) {
      let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
      self = isMapped ? .four(Array(bytes.suffix(4))) : .six(bytes)
    } else {
      return nil
    }
  }

  private static func bytes(_ text: String, family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}
