#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a process does before it handles secrets.
public enum ProcessHardening {
  /// No core files, and on Linux no debugger of the same user: secrets do not leave by a crash. Returns whether the
  /// kernel took it.
  @discardableResult
  public static func apply() -> Bool {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if os(Linux)
      let isHidden = setProcessAttribute(setDumpable, 0, 0, 0, 0) == 0
      return setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 && isHidden
    #else
      return setrlimit(RLIMIT_CORE, &none) == 0
    #endif
  }
}

#if os(Linux)
  /// `PR_SET_DUMPABLE`.
  private let setDumpable: Int32 = 4

  /// `prctl(2)`; Swift does not see C functions with any number of arguments.
  @_silgen_name("prctl")
  private func setProcessAttribute(_ attribute: Int32, _: UInt, _: UInt, _: UInt, _: UInt) -> Int32
#endif
