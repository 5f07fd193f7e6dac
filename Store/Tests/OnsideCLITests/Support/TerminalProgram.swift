import Foundation
import Glibc
import Synchronization

/// `onside` at a terminal of its own (a pty), with a test as the person before it.
final class TerminalProgram: Sendable {
  private let program: ChildProgram
  private let master: Int32
  private let shown = Mutex("")
  /// Whether no program has the terminal open any more, and all that it wrote was read.
  private let isOver = Mutex(false)

  /// Starts it as the leader of a session whose terminal this is.
  init(_ onside: Program, arguments: [String]) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    guard openTerminal(&master, &slave, nil, nil, nil) == 0 else { throw POSIXError(.EIO) }
    defer { close(slave) }
    self.master = master
    program = try onside.launch(arguments, terminal: slave)
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let reader = fcntl(master, F_DUPFD_CLOEXEC, 0)
    Thread.detachNewThread { [weak self] in
      defer { close(reader) }
      var part = [UInt8](repeating: 0, count: 4096)
      // A terminal that no program has open any more reads as an error.
      while case let count = read(reader, &part, part.count), count > 0 {
        guard let self else { return }
        self.shown.withLock { $0 += String(decoding: part.prefix(count), as: UTF8.self) }
      }
      self?.isOver.withLock { $0 = true }
    }
  }

  deinit { close(master) }

  /// Everything that stood on the terminal, with what it echoed.
  var screen: String { shown.withLock { $0 } }

  /// Whether the terminal shows what is typed now.
  var echoes: Bool {
    var settings = termios()
    return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Whether Control-C stops programs now.
  var hasSignals: Bool {
    var settings = termios()
    return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ISIG) != 0
  }

  func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

  /// Waits until a text stands on the terminal behind what `after` says, and returns what came before it since then.
  func until(_ text: String, after: String = "") async throws -> String {
    while true {
      let isRunning = !isOver.withLock { $0 }
      let screen = screen
      let start = after.isEmpty ? screen.startIndex : screen.range(of: after)?.upperBound
      if let start, let end = screen.range(of: text, range: start..<screen.endIndex) {
        return String(screen[start..<end.lowerBound])
      }
      guard isRunning else { throw Ended(screen: screen) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits until nothing that is typed shows, or until it does again.
  func until(echoes: Bool) async throws {
    while self.echoes != echoes {
      guard !isOver.withLock({ $0 }) else { throw Ended(screen: screen) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// The exit status, when everything that the program wrote was read, or when the task is cancelled.
  func ended() async -> Int32 {
    await program.ended()
    while !isOver.withLock({ $0 }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
    return program.status
  }

  struct Ended: Error {
    let screen: String
  }
}

/// `openpty(3)`, whose header Swift does not see.
@_silgen_name("openpty")
private func openTerminal(
  _ master: UnsafeMutablePointer<Int32>, _ slave: UnsafeMutablePointer<Int32>, _ name: UnsafeMutablePointer<CChar>?,
  _ settings: UnsafeRawPointer?, _ size: UnsafeRawPointer?
) -> Int32
