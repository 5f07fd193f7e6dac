import Foundation
import Glibc
import OnsideKit
import StoreTestSupport
import Synchronization

/// A device in a process of its own (`onside-test-device`), which a test can kill.
///
/// Commands and answers go over one pair of sockets.
final class DeviceProcess: Sendable {
  /// How the process ended.
  enum End: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)

    fileprivate init(status: Int32) {
      self = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
    }
  }

  struct Ended: Error, CustomStringConvertible {
    let description: String
  }

  /// What it said so far, a line each, as words.
  let lines = Observed<[[String]]>([])
  let end = Observed<End?>(nil)
  private static let endOfOutput = ["ended"]
  private let pid: pid_t
  /// Our end of the sockets; nil once it is closed.
  private let socket: Mutex<Int32?>

  /// Starts a device on a folder.
  /// - Parameters:
  ///   - checkpoint: the checkpoint of the SDK at which the device ends itself.
  ///   - shop: the file in which the README's shop saves, to run that app; nil for an app that does what a test sends.
  init(
    _ system: TestedSystem, in folder: TemporaryFolder, killAt checkpoint: String? = nil, shop: String? = nil
  ) throws {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    let ours = ends[0]
    defer { close(ends[1]) }
    pid = try spawn(
      Bundle.main.bundleURL.appending(path: "onside-test-device").path,
      environment: [
        "ONSIDE_STORE_URL": system.isOverHTTP ? system.network.address.absoluteString : "",
        "ONSIDE_STOREKIT_FILE": system.isOverHTTP ? nil : ExampleProducts.file.path(),
        "ONSIDE_APP_ID": TestedSystem.app,
        "ONSIDE_SHOP_FILE": shop, "ONSIDE_STORAGE_FOLDER": folder.url.path, "ONSIDE_KILL_AT": checkpoint ?? "",
        "LANG": "en_NL.UTF-8",
        "PATH": "/usr/bin:/bin",
      ].compactMapValues(\.self),
      files: [.open(ends[1]), .open(ends[1]), .open(2)])
    socket = Mutex(ours)
    // A thread of its own: waiting must not take one from the tests.
    Thread.detachNewThread { [weak self, pid, lines, end] in
      Self.read(ours, into: lines)
      var status: Int32 = 0
      while waitpid(pid, &status, 0) == -1, errno == EINTR {}
      end.change { $0 = End(status: status) }
      guard let self else { return _ = close(ours) }
      self.socket.withLock { socket in
        socket = nil
        close(ours)
      }
    }
  }

  deinit { kill() }

  /// Sends a command. A process that is dead does not hear it.
  func send(_ command: String) {
    let bytes = Array((command + "\n").utf8)
    socket.withLock { socket in
      if let socket { _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
  }

  func kill() {
    // Not after its end: the number may be another program's by then.
    if end.value == nil { _ = Glibc.kill(pid, SIGKILL) }
  }

  /// Ends it as an app ends.
  func quit() async throws {
    socket.withLock { socket in
      if let socket { _ = shutdown(socket, Int32(SHUT_WR)) }
    }
    try await end.until { $0 != nil }
  }

  /// The first line that begins with these words; throws when the process ends without one.
  func line(_ words: String...) async throws -> [String] {
    try await line { $0.starts(with: words) }
  }

  func line(where matches: @escaping @Sendable ([String]) -> Bool) async throws -> [String] {
    try await lines.until { $0.contains { matches($0) || $0 == Self.endOfOutput } }
    guard let line = lines.value.first(where: matches) else {
      throw Ended(description: "the device ended after \(lines.value)")
    }
    return line
  }

  /// What was said of one state of transactions: their ids.
  func ids(_ state: OnsidePaymentTransactionState) -> Set<String> {
    Set(lines.value.filter { $0.count > 2 && $0[0] == "updated" && $0[2] == state.rawValue }.map { $0[1] })
  }

  /// Reads lines until the process has closed its end.
  private static func read(_ socket: Int32, into lines: Observed<[[String]]>) {
    var rest: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(socket, &chunk, chunk.count, 0)
      if count == -1, errno == EINTR { continue }
      guard count > 0 else { break }
      rest += chunk[..<count]
      let parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = Array(parts.last ?? [])
      let words = parts.dropLast().map { line in
        String(decoding: line, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      lines.change { $0 += words }
    }
    lines.change { $0.append(endOfOutput) }
  }
}
