import Foundation

/// A named place where a test may kill the process, to prove that nothing is lost there. With `ONSIDE_KILL_AT` set to
/// the name, a debug build ends here as `kill -9` would. Release builds have nothing here.
@inline(__always)
func checkpoint(_ name: StaticString) {
  #if DEBUG
    guard let wanted = killAt, wanted == "\(name)" else { return }
    kill(getpid(), SIGKILL)
  #endif
}

#if DEBUG
  private let killAt = ProcessInfo.processInfo.environment["ONSIDE_KILL_AT"]
#endif
