import Foundation

/// A child process of a test, with its output in a file; `deinit` kills it.
public final class ChildServer: Sendable {
  private let id: pid_t
  private let output: String

  /// Starts a program.
  /// - Parameter output: the file that its output goes to; its errors go to one beside it.
  public init(_ program: String, arguments: [String], output: String) throws {
    self.output = output
    id = try spawn(
      program, arguments: arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/bin", "PYTHONUNBUFFERED": "1"],
      files: [.null, .appending(output), .appending(output + ".errors")])
  }

  deinit {
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
  }

  /// The complete lines of its output so far.
  public var lines: [String] {
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Everything that it has written to its standard error.
  public var errors: String { (try? String(contentsOfFile: output + ".errors", encoding: .utf8)) ?? "" }

  /// Waits up to two minutes for a line, because a machine may be very busy.
  public func line(_ number: Int) async throws -> String {
    for _ in 0..<1200 {
      if lines.count > number { return lines[number] }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw Silent(text: errors)
  }

  /// Waits until the program has ended by itself.
  public func end() async throws {
    for _ in 0..<1200 {
      var status = siginfo_t()
      // The process is not reaped: `deinit` does that.
      if waitid(P_PID, id_t(id), &status, WEXITED | WNOHANG | WNOWAIT) == 0, status._sifields._sigchld.si_pid == id {
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw Silent(text: errors)
  }

  /// A program that did not do what was waited for.
  public struct Silent: Error {
    let text: String

    /// Makes the error, with what the program wrote.
    public init(text: String) { self.text = text }
  }

  /// The first of the paths that is an executable file.
  public static func path(_ candidates: String...) -> String? {
    candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Free ports below the ephemeral range, so that a socket of another test on a port of the system's choice is never
  /// taken for this program's.
  public static func freePorts(_ count: Int) throws -> [Int] {
    let ports = Array((10_000..<32_000).shuffled().lazy.filter(isFree).prefix(count))
    guard ports.count == count else { throw POSIXError(.EADDRNOTAVAIL) }
    return ports
  }

  private static func isFree(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(UInt16(port))
    return withSocketAddress(&address) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) } == 0
  }

  /// Whether a process accepts connections on a port.
  public static func accepts(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(UInt16(port))
    return withSocketAddress(&address) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) } == 0
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }

  private static func withSocketAddress(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
  ) -> Int32 {
    withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }
}
