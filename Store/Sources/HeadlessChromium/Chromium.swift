import ChildPrograms
import Foundation
import Glibc
import Synchronization

/// A real Chromium without a window, driven over its debugging pipe (Chrome DevTools Protocol, messages end in NUL).
public final class Chromium: Sendable {
  /// Where the machine has it; nil where the tests that need it do not run.
  public static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Why the browser did not do what it was asked.
  public struct Failure: Error, CustomStringConvertible {
    /// What it said, or what did not come.
    public let description: String
  }

  struct State {
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
    var session: String?
    var isStopped = false
  }

  private let process: pid_t
  private let folder: URL
  private let output: FileHandle
  private let input: FileHandle
  private let state = Mutex(State())

  /// Starts a browser with one empty page.
  public static func start() async throws -> Chromium {
    let browser = try Chromium()
    try await browser.openTab()
    return browser
  }

  /// Opens an empty page in a tab of its own and turns to it.
  func openTab() async throws {
    let target: Target = try await call("Target.createTarget", ["url": "about:blank"])
    let attached: Attached = try await call("Target.attachToTarget", ["targetId": target.targetId, "flatten": true])
    state.withLock { $0.session = attached.sessionId }
    try await send("Page.enable")
    try await send("Accessibility.enable")
  }

  private struct Target: Decodable { var targetId: String }
  private struct Attached: Decodable { var sessionId: String }

  private init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "onside-chromium-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let pipes = ["in", "out"].map { [folder] in folder.appending(path: $0).path }
    for pipe in pipes where mkfifo(pipe, 0o600) != 0 { throw Failure(description: "mkfifo: \(errno)") }
    // Opened for both directions, which does not wait for the other side.
    input = FileHandle(fileDescriptor: Glibc.open(pipes[0], O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    output = FileHandle(fileDescriptor: Glibc.open(pipes[1], O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    let flags = [
      "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
      "--disable-dev-shm-usage", "--user-data-dir=\(folder.appending(path: "profile").path)",
    ]
    // It talks over its files 3 and 4.
    process = try spawn(
      Chromium.path ?? "", flags, environment: ProcessInfo.processInfo.environment,
      files: [.null, .null, .null, .reading(pipes[0]), .writing(pipes[1])])
    Thread.detachNewThread { [weak self, output] in
      var rest = Data()
      while let chunk = try? output.read(upToCount: 1), !chunk.isEmpty {
        guard let self, !self.state.withLock({ $0.isStopped }) else { break }
        rest.append(chunk)
        rest.append(output.availableBytes)
        while let end = rest.firstIndex(of: 0) {
          self.receive(Data(rest[rest.startIndex..<end]))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
    }
  }

  /// Ends the browser.
  public func stop() async {
    try? await send("Browser.close")
    state.withLock { $0.isStopped = true }
    // Both ends are open here: this wakes the reader, which then ends.
    try? output.write(contentsOf: Data([0]))
    kill(process, SIGTERM)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    try? FileManager.default.removeItem(at: folder)
  }

  private struct Answer<Result: Decodable>: Decodable { var result: Result }

  /// Calls a method and reads its result.
  public func call<Result: Decodable>(
    _ method: String, _ parameters: [String: any Sendable] = [:]
  ) async throws -> Result {
    try JSONDecoder().decode(Answer<Result>.self, from: try await exchange(method, parameters)).result
  }

  /// Calls a method whose result does not matter.
  public func send(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws {
    _ = try await exchange(method, parameters)
  }

  private func exchange(_ method: String, _ parameters: [String: any Sendable]) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try post(method, parameters) { state in state.waiting[state.nextID] = continuation }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Sends a message; `note` may remember who waits for its answer.
  func post(
    _ method: String, _ parameters: [String: any Sendable] = [:], note: (inout State) -> Void = { _ in }
  ) throws {
    let message = try state.withLock { state in
      state.nextID += 1
      var object: [String: any Sendable] = ["id": state.nextID, "method": method, "params": parameters]
      if let session = state.session, !method.hasPrefix("Browser."), !method.hasPrefix("Target.") {
        object["sessionId"] = session
      }
      let message = try JSONSerialization.data(withJSONObject: object) + [0]
      note(&state)
      return message
    }
    try input.write(contentsOf: message)
  }

  private struct Head: Decodable {
    struct Fault: Decodable { var message: String }
    var id: Int?
    var error: Fault?
  }

  private func receive(_ message: Data) {
    guard let head = try? JSONDecoder().decode(Head.self, from: message), let id = head.id else { return }
    guard let continuation = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
    if let error = head.error {
      continuation.resume(throwing: Failure(description: error.message))
    } else {
      continuation.resume(returning: message)
    }
  }
}

extension FileHandle {
  /// What can be read without waiting.
  fileprivate var availableBytes: Data {
    var count: Int32 = 0
    guard ioctl(fileDescriptor, UInt(FIONREAD), &count) == 0, count > 0 else { return Data() }
    return (try? read(upToCount: Int(count))) ?? Data()
  }
}
