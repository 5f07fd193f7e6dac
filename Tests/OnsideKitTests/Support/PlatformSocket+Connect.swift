import Foundation

@testable import OnsideKit

#if canImport(Glibc)
  import Glibc
  private let streamType = Int32(SOCK_STREAM.rawValue)
#else
  import Darwin
  private let streamType = SOCK_STREAM
#endif

extension PlatformSocket {
  /// A connection to a port of 127.0.0.1.
  static func connected(to port: UInt16) throws(Failure) -> PlatformSocket {
    let created = socket(AF_INET, streamType, 0)
    guard created >= 0 else { throw Failure(call: "socket", code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(created, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let code = errno
    guard result == 0 else {
      close(created)
      throw Failure(call: "connect", code: code)
    }
    return PlatformSocket(adopting: created)
  }
}
