import Foundation
import OnsideKit
import Synchronization

/// A device in a process of its own (`onside-test-device`), which a test can kill.
final class DeviceProcess: Sendable {
  /// How the process ended.
  enum End: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  struct Ended: Error, CustomStringConvertible {
    let description: String
  }

  /// What it said so far, a line each, as words.
  let lines = Observed<[[String]]>([])
  let end = Observed<End?>(nil)
  private static let endOfOutput = ["ended"]
  private let input: FileHandle
  private let pid: Int32

  /// Starts a device on a folder; with `killAt` it ends itself at that checkpoint of the SDK.
  init(_ world: World, _ folder: TemporaryFolder, killAt checkpoint: String? = nil) throws {
    let process = Process()
    let (output, commands) = (Pipe(), Pipe())
    process.executableURL = Bundle.main.bundleURL.appending(path: "onside-test-device")
    process.environment = [
      "ONSIDE_STORE_URL": world.network.address.absoluteString, "ONSIDE_APP_ID": World.app,
      "ONSIDE_STORAGE_FOLDER": folder.url.path, "ONSIDE_KILL_AT": checkpoint ?? "", "LANG": "en_NL.UTF-8",
    ]
    process.standardInput = commands
    process.standardOutput = output
    process.terminationHandler = { [end] process in
      end.change {
        $0 = process.terminationReason == .exit ? .exit(process.terminationStatus) : .signal(process.terminationStatus)
      }
    }
    input = commands.fileHandleForWriting
    Self.read(output.fileHandleForReading, into: lines)
    try process.run()
    pid = process.processIdentifier
  }

  deinit { kill() }

  /// Sends a command. A process that is dead does not hear it.
  func send(_ command: String) {
    try? input.write(contentsOf: Data((command + "\n").utf8))
  }

  func kill() {
    if end.value == nil { _ = Foundation.kill(pid, SIGKILL) }
  }

  /// Ends it as an app ends.
  func quit() async throws {
    try input.close()
    try await end.until { $0 != nil }
  }

  /// The first line that begins with these words; throws when the process ends without one.
  func line(_ words: String...) async throws -> [String] {
    try await line { $0.starts(with: words) }
  }

  func line(where matches: @escaping @Sendable ([String]) -> Bool) async throws -> [String] {
    try await lines.until { $0.contains { matches($0) || $0 == Self.endOfOutput } }
    guard let line = lines.value.first(where: matches) else {
      throw Ended(description: "the device ended (\(String(describing: end.value))) after \(lines.value)")
    }
    return line
  }

  /// What was said of one state of transactions: their ids.
  func ids(_ state: OnsidePaymentTransactionState) -> Set<String> {
    Set(lines.value.filter { $0.count > 2 && $0[0] == "updated" && $0[2] == state.rawValue }.map { $0[1] })
  }

  private static func read(_ handle: FileHandle, into lines: Observed<[[String]]>) {
    let rest = Mutex(Data())
    handle.readabilityHandler = { handle in
      let chunk = handle.availableData
      guard !chunk.isEmpty else {
        handle.readabilityHandler = nil
        return lines.change { $0.append(endOfOutput) }
      }
      let complete = rest.withLock { rest in
        rest += chunk
        let text = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Data(text.last ?? Data())
        return text.dropLast().map { String(decoding: $0, as: UTF8.self) }
      }
      let words = complete.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
      lines.change { $0 += words }
    }
  }
}
