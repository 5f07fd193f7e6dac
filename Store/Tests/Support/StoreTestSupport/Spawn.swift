public import Foundation
import Glibc

/// What a child program has as one of its files.
public enum ChildFile: Sendable {
  /// Nothing to read, and what is written is lost.
  case null
  /// A file to read from.
  case reading(String)
  /// A file to write to.
  case writing(String)
  /// A file to write behind the end of, made when it is missing.
  case appending(String)
  /// A file that is open here.
  case open(Int32)
}

/// Starts a program beside a test; the caller has to wait for its end.
///
/// With `posix_spawn`, since Foundation's `Process` does not bear many threads and open files. The child has the given
/// files as 0, 1, 2 and so on, and no other: its own copy of a test's socket would keep a connection open that the
/// test closes.
public func spawn(
  _ program: String, arguments: [String] = [], environment: [String: String], files: [ChildFile]
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (number, file) in zip(Int32(0)..., files) { file.add(to: &actions, as: number) }
  _ = addCloseFrom(&actions, Int32(files.count))
  let words = ([program] + arguments).map { strdup($0) } + [nil]
  let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { (words + variables).forEach { free($0) } }
  var id: pid_t = 0
  let code = posix_spawn(&id, program, &actions, nil, words, variables)
  guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
  return id
}

extension ChildFile {
  fileprivate func add(to actions: inout posix_spawn_file_actions_t, as number: Int32) {
    switch self {
    case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    case .reading(let path): posix_spawn_file_actions_addopen(&actions, number, path, O_RDONLY, 0)
    case .writing(let path): posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY, 0)
    case .appending(let path):
      posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    case .open(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
  }
}

/// In glibc since 2.34; its header hides it from Swift.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func addCloseFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ from: Int32) -> Int32
