import Dispatch
import Foundation
import OnsideAPI
import OnsideVault
import OnsideWallet
import Sodium
import Synchronization
import Testing

/// Runs the wallet's test program beside this one, under strace if need be, with this test's vault.
struct WalletProcess {
  let folder: URL
  let vault: MemoryVault?
  /// What else the program finds in its environment.
  var environment: [String: String] = [:]

  /// What the program printed: `ok`, an error's name, or nothing when it was killed.
  func run(_ arguments: String..., under tracer: [String] = []) throws -> String {
    try end(arguments, tracer: tracer).output
  }

  /// What the program printed for each of several commands, which run in one process.
  func run(each commands: [String]...) throws -> [String] {
    try end(Array(commands.joined(separator: [","])), tracer: []).output.split(separator: "\n").map(String.init)
  }

  /// How the program ended, as `wait` has it.
  func status(_ arguments: String..., under tracer: [String] = []) throws -> Int32 {
    try end(arguments, tracer: tracer).status
  }

  private func end(_ arguments: [String], tracer: [String]) throws -> (output: String, status: Int32) {
    let program = try Self.program()
    let words = tracer + [program, folder.path(percentEncoded: false)] + arguments
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    var sockets: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
    defer { close(sockets[0]) }
    let id = try start(words, output: output, vaultEnd: sockets[1])
    close(sockets[1])
    let status = try Self.wait(for: id, words: words, serving: vault == nil ? nil : sockets[0], serve)
    let text = (try? String(contentsOf: output, encoding: .utf8))?.trimmingCharacters(in: .newlines)
    return (text ?? "", status)
  }

  /// Starts the program without a vault, and leaves it running; the caller ends it and waits for it.
  func launch(_ arguments: String...) throws -> pid_t {
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    return try start(
      [try Self.program(), folder.path(percentEncoded: false)] + arguments, output: output, vaultEnd: 2)
  }

  /// Runs another program to its end; what it says is lost.
  func run(tool words: [String]) throws {
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    let id = try start(words, output: output, vaultEnd: 2)
    _ = try Self.wait(for: id, words: words)
  }

  /// Waits for a program's end, and answers it meanwhile; ends one that takes more than four minutes.
  private static func wait(
    for id: pid_t, words: [String], serving socket: Int32? = nil, _ serve: (Int32) -> Void = { _ in }
  ) throws -> Int32 {
    let isOverdue = Mutex(false)
    let deadline = DispatchWorkItem {
      isOverdue.withLock { $0 = true }
      kill(id, SIGKILL)
      // A program under a tracer outlives the tracer, and would keep its end of the socket open.
      if let socket { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 240, execute: deadline)
    defer { deadline.cancel() }
    if let socket { serve(socket) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    try #require(!isOverdue.withLock { $0 }, "not done within four minutes: \(words.joined(separator: " "))")
    return status
  }

  private func start(_ words: [String], output: URL, vaultEnd: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output.path(percentEncoded: false), O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, vaultEnd, 3)
    let arguments = words.map { strdup($0) } + [nil]
    let all = environment.merging(["PATH": "/usr/bin:/bin", vault == nil ? "WITHOUT_VAULT" : "WALLET_VAULT": "1"]) {
      $1
    }
    let variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, words[0], &actions, nil, arguments, variables)
    try #require(code == 0, "expected to start \(words[0]): \(String(cString: strerror(code)))")
    return id
  }

  /// Answers until the program has ended.
  private func serve(_ socket: Int32) {
    var line: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while case let count = read(socket, &part, part.count), count > 0 {
      line += part.prefix(count)
      guard line.last == UInt8(ascii: "\n") else { continue }
      var answer = (try? JSONEncoder().encode(self.answer(Data(line)))) ?? Data()
      answer.append(UInt8(ascii: "\n"))
      line = []
      // A program that was killed hears nothing; send would end this process with a signal otherwise.
      _ = answer.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
  }

  private func answer(_ line: Data) throws -> VaultAnswer {
    guard let vault else { return VaultAnswer(failure: "vaultUnknown") }
    let call = try JSONDecoder().decode(VaultCall.self, from: line)
    guard let device = VaultDeviceKey(seed: SecretBytes(copying: call.seed.bytes)) else {
      return VaultAnswer(failure: "vaultUnknown")
    }
    let bytes = call.bytes?.bytes ?? []
    do {
      switch call.name {
      case "enrol": return VaultAnswer(message: try vault.enrol(call.enrolment, replacing: call.old, by: device))
      case "state": return VaultAnswer(message: try vault.state(of: call.enrolment, by: device))
      case "evaluate": return VaultAnswer(evaluation: try vault.evaluate(bytes, of: call.enrolment, by: device))
      case "seal": return VaultAnswer(message: try vault.seal(bytes, of: call.enrolment, by: device))
      case "confirm": return VaultAnswer(message: try vault.confirm(bytes, of: call.enrolment, by: device))
      default: return VaultAnswer(message: try vault.destroy(call.enrolment, by: device))
      }
    } catch {
      return VaultAnswer(failure: (error as? WalletError)?.kind.name ?? "vaultUnknown")
    }
  }

  private static func program() throws -> String {
    let places = [URL(filePath: CommandLine.arguments[0]), Bundle.main.bundleURL.appending(path: "x")]
    let programs = places.map {
      $0.deletingLastPathComponent().appending(path: "wallet-test-program").path(percentEncoded: false)
    }
    return try #require(programs.first { FileManager.default.isExecutableFile(atPath: $0) }, "\(programs)")
  }

  /// The messages of the program's `PipeVault`.
  private struct VaultCall: Codable {
    let name: String
    let enrolment: VaultEnrolmentID
    let seed: WireBytes
    let old: VaultEnrolmentID?
    let bytes: WireBytes?
  }

  private struct VaultAnswer: Codable {
    var evaluation: VaultEvaluationMessage?
    var message: VaultMessage?
    var failure: String?
  }
}
