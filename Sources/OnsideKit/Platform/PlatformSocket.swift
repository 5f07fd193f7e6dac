import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A socket that closes itself, with waits that end when the task is cancelled.
package final class PlatformSocket: Sendable {
  /// A call to the operating system that went wrong.
  package struct Failure: Error, CustomStringConvertible {
    package let call: String
    package let code: Int32
    package var description: String { "\(call) failed: \(String(cString: strerror(code))) (errno \(code))" }
  }

  private let descriptor: Int32

  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    // Neither a browser that we start nor a blocked peer may hold on to us.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
    #if canImport(Darwin)
      var on: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  deinit { close(descriptor) }

  /// A socket that listens on 127.0.0.1 only, on a port that the system picks.
  package static func listening(backlog: Int32 = 16) throws(Failure) -> PlatformSocket {
    let created = socket(AF_INET, streamType, 0)
    guard created >= 0 else { throw Failure(call: "socket", code: errno) }
    let listener = PlatformSocket(adopting: created)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(created, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else { throw Failure(call: "bind to 127.0.0.1", code: errno) }
    guard listen(created, backlog) == 0 else { throw Failure(call: "listen", code: errno) }
    return listener
  }

  /// The local port.
  package var port: UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The next connection; nil when the task is cancelled.
  package func accept() async -> PlatformSocket? {
    while !Task.isCancelled {
      let accepted = acceptNow()
      if accepted >= 0 { return PlatformSocket(adopting: accepted) }
      await SocketWatch.shared.wait(for: .readable, of: descriptor)
    }
    return nil
  }

  /// The next bytes, at most `limit`; empty at the end of the stream, on an error, or when the task is cancelled.
  package func read(upTo limit: Int) async -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    while !Task.isCancelled {
      let count = recv(descriptor, &buffer, limit, 0)
      if count >= 0 { return Array(buffer[..<count]) }
      guard errno == EAGAIN || errno == EINTR else { return [] }
      await SocketWatch.shared.wait(for: .readable, of: descriptor)
    }
    return []
  }

  /// Sends all of `bytes`; false when the peer went away or the task was cancelled.
  @discardableResult
  package func write(_ bytes: [UInt8]) async -> Bool {
    var sent = 0
    while sent < bytes.count, !Task.isCancelled {
      let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN || errno == EINTR {
        await SocketWatch.shared.wait(for: .writable, of: descriptor)
      } else {
        return false
      }
    }
    return sent == bytes.count
  }

  /// Says that nothing more will be sent.
  package func finishWriting() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  private func acceptNow() -> Int32 {
    #if canImport(Darwin)
      Darwin.accept(descriptor, nil, nil)
    #elseif canImport(Musl)
      Musl.accept(descriptor, nil, nil)
    #else
      Glibc.accept(descriptor, nil, nil)
    #endif
  }
}

#if canImport(Glibc)
  private let streamType = Int32(SOCK_STREAM.rawValue)
  private let noSignal = Int32(MSG_NOSIGNAL)
#elseif canImport(Musl)
  private let streamType = SOCK_STREAM
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  private let streamType = SOCK_STREAM
  private let noSignal: Int32 = 0
#endif
