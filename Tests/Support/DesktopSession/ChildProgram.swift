import Foundation
import Glibc
import Synchronization

/// A child process of a test, which ends with it.
///
/// With `posix_spawn`, since Foundation's `Process` hands files that are being opened elsewhere to the child. The child
/// has files 0, 1 and 2, and no other.
package final class ChildProgram: Sendable {
  private let id: pid_t
  /// The result of `waitpid(2)`; from then on the id may be another process's.
  private let end = Mutex<Int32?>(nil)

  /// Starts a program.
  /// - Parameters:
  ///   - words: the program, looked for in `PATH`, and its arguments.
  ///   - input: what it reads; nothing unless given.
  ///   - output: where its output is written; nowhere unless given.
  package init(_ words: [String], environment: [String: String], input: String? = nil, output: String? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
    for number: Int32 in 1...2 {
      posix_spawn_file_actions_addopen(&actions, number, output ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    _ = addCloseFrom(&actions, 3)
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, words[0], &actions, nil, arguments, variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.id = id
  }

  deinit { kill() }

  /// Ends it with `SIGKILL`, and waits until it has ended.
  package func kill() {
    end.withLock { end in
      guard end == nil, Glibc.kill(id, SIGKILL) == 0 else { return }
      end = reap(0)
    }
  }

  /// Stops the process, so that it answers no request, or resumes it.
  package func pause(_ isPaused: Bool) {
    end.withLock { end in
      guard end == nil else { return }
      _ = Glibc.kill(id, isPaused ? SIGSTOP : SIGCONT)
    }
  }

  /// Its exit status, or 128 and the number of the signal that has ended it; nil while it runs.
  package var status: Int32? {
    end.withLock { end in
      if end == nil { end = reap(WNOHANG) }
      return end.map { $0 & 0x7f == 0 ? ($0 >> 8) & 0xff : 128 + ($0 & 0x7f) }
    }
  }

  private func reap(_ options: Int32) -> Int32? {
    var status: Int32 = 0
    return waitpid(id, &status, options) == id ? status : nil
  }

  /// Waits for its end; answers its exit status.
  package func ended() async throws -> Int32 {
    let deadline = NamedDeadline("the end of process \(id)")
    while true {
      if let status { return status }
      try await deadline.next()
    }
  }
}

/// In glibc since 2.34; its header hides it from Swift.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func addCloseFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ from: Int32) -> Int32
