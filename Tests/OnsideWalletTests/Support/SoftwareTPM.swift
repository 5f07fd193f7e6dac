#if os(Linux)
  import DesktopSession
  import Foundation
  import Glibc
  import Synchronization
  import TPM

  /// A real TPM 2.0 in software (swtpm), with a state of its own, at two ports of this machine. It locks at three wrong
  /// tries, and forgets one in a thousand seconds.
  final class SoftwareTPM: Sendable {
    private let folder: URL
    private let port: UInt16
    private let child = Mutex<ChildProgram?>(nil)

    /// Whether the programs are installed.
    static var isThere: Bool {
      ["swtpm", "tpm2_getcap"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    }
    static let missing = "swtpm or tpm2-tools is missing (script/setup)"

    /// Starts it.
    init() async throws {
      setenv("TSS2_LOG", "all+none", 1)
      folder = FileManager.default.temporaryDirectory.appending(path: "tpm-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      port = try Self.freePorts()
      try await start()
    }

    deinit {
      stop()
      try? FileManager.default.removeItem(at: folder)
    }

    /// How tpm2-tss finds it.
    var tcti: String { "swtpm:host=127.0.0.1,port=\(port)" }
    var tpm: TPM { TPM(tcti: tcti) }
    /// How many wrong tries it remembers.
    var failed: Int { get throws { try tpm.lockout().failed } }

    /// Starts it with the state that it had, and waits until it answers.
    func start() async throws {
      let state = folder.path(percentEncoded: false)
      let words = [
        "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(state)", "--server", "type=tcp,port=\(port)", "--ctrl",
        "type=tcp,port=\(port + 1)", "--flags", "not-need-init,startup-clear",
      ]
      let program = try ChildProgram(words, environment: ["PATH": "/usr/bin:/bin"])
      child.withLock { $0 = program }
      let deadline = NamedDeadline("an answer of swtpm at port \(port)")
      while (try? tpm.lockout()) == nil {
        guard program.status == nil else { throw POSIXError(.EADDRINUSE) }
        try await deadline.next()
      }
    }

    /// Powers it off.
    func stop() { child.withLock { $0 = nil } }

    /// Runs one of tpm2-tools on it; what it prints.
    @discardableResult
    func tool(_ words: String...) async throws -> String {
      let output = folder.appending(path: "output-\(UUID().uuidString)").path(percentEncoded: false)
      let program = try ChildProgram(
        words, environment: ["PATH": "/usr/bin:/bin", "TPM2TOOLS_TCTI": tcti], output: output)
      let status = try await program.ended()
      let text = try String(contentsOfFile: output, encoding: .utf8)
      guard status == 0 else { throw ToolFailed(text: "\(words) \(text)") }
      return text
    }

    struct ToolFailed: Error {
      let text: String
    }

    /// How many wrong tries lock it, and the seconds until one is forgotten.
    func setLockout(tries: Int, interval: Int) async throws {
      try await tool(
        "tpm2_dictionarylockout", "--setup-parameters", "--max-tries=\(tries)", "--recovery-time=\(interval)",
        "--lockout-recovery-time=\(interval)")
    }

    /// What is loaded in it, or opened and not flushed.
    func leftovers() async throws -> String {
      try await tool("tpm2_getcap", "handles-transient") + tool("tpm2_getcap", "handles-loaded-session")
    }

    /// Flushes the objects and sessions that a process left there.
    func flush() async throws {
      try await tool("tpm2_flushcontext", "--transient-object")
      try await tool("tpm2_flushcontext", "--loaded-session")
    }

    /// The first of two consecutive ports that are both free.
    private static func freePorts() throws -> UInt16 {
      for _ in 0..<200 {
        let first = UInt16.random(in: 20_000..<32_000)
        if isFree(first) && isFree(first + 1) { return first }
      }
      throw POSIXError(.EADDRINUSE)
    }

    private static func isFree(_ port: UInt16) -> Bool {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
      }
    }
  }
#endif
