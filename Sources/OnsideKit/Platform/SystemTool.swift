#if os(Linux)
  import Foundation

  /// A command-line program of the desktop. Its arguments are never part of a shell line. Cancelling the task does not
  /// end the program.
  ///
  /// It uses `posix_spawn`, since Foundation's `Process` gives its pipes to every child that is started at the same
  /// moment: a wait for the end of one child then lasts until the other has ended, too.
  struct SystemTool {
    private let words: [String]
    private let environment: [String: String]

    /// - Parameters:
    ///   - program: a path, or a name that is looked for in `PATH`.
    ///   - environment: this process's own unless given.
    init(_ program: String, arguments: [String] = [], environment: [String: String]? = nil) {
      words = [program] + arguments
      self.environment = environment ?? ProcessInfo.processInfo.environment
    }

    /// Runs the program to its end; returns whether it exited with status 0.
    func run() async -> Bool { await ends(writingTo: nil) }

    /// The program's output, 4,096 bytes at most; nil when it fails or is missing.
    func output() async -> String? {
      var ends: [Int32] = [-1, -1]
      // Glibc's header hides pipe2 from Swift.
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
      defer { for end in ends { close(end) } }
      let source = ends[0]
      async let words = Self.aside { Self.beginning(of: source) }
      let isWell = await self.ends(writingTo: ends[1])
      // Processes that the program has started may be able to write for long.
      shutdown(source, Int32(SHUT_RD))
      let text = String(decoding: await words, as: UTF8.self)
      return isWell ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }

    /// Reads to the end, so that a program that writes more than expected does not block for ever.
    private static func beginning(of source: Int32) -> [UInt8] {
      var (text, part): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
      while true {
        let count = recv(source, &part, part.count, 0)
        if count == -1 && errno == EINTR { continue }
        guard count > 0 else { return text }
        text += part.prefix(min(count, 4096 - text.count))
      }
    }

    /// Runs a blocking call on a thread of its own, so that it takes no thread from other tasks.
    private static func aside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
      await withCheckedContinuation { done in Thread.detachNewThread { done.resume(returning: body()) } }
    }

    private func ends(writingTo output: Int32?) async -> Bool {
      guard let child = start(writingTo: output) else { return false }
      return await Self.aside {
        var status: Int32 = 0
        var waited: pid_t
        repeat { waited = waitpid(child, &status, 0) } while waited == -1 && errno == EINTR
        return waited == child && status == 0
      }
    }

    private func start(writingTo output: Int32?) -> pid_t? {
      var files = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&files)
      defer { posix_spawn_file_actions_destroy(&files) }
      for number in Int32(0)...2 { posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_RDWR, 0) }
      if let output { posix_spawn_file_actions_adddup2(&files, output, 1) }
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      // Threads of Dispatch block signals; programs do not expect that.
      var none = sigset_t()
      sigemptyset(&none)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      let arguments = words.map { strdup($0) } + [nil]
      let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
      defer { (arguments + variables).forEach { free($0) } }
      var child: pid_t = 0
      return posix_spawnp(&child, words[0], &files, &attributes, arguments, variables) == 0 ? child : nil
    }
  }
#endif
