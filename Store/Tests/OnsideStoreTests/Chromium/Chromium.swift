import ChildPrograms
import Foundation
import Glibc
import Synchronization
import Testing

/// A real Chromium without a window, driven over its debugging pipe (Chrome DevTools Protocol, messages end in NUL).
final class Chromium: Sendable {
  /// Where the machine has it; nil where the tests that need it do not run.
  static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private struct State {
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
    var session: String?
    var isStopped = false
  }

  private let process: pid_t
  private let folder: TemporaryFolder
  private let output: FileHandle
  private let input: FileHandle
  private let state = Mutex(State())

  /// Starts a browser with one empty page.
  static func start() async throws -> Chromium {
    let browser = try Chromium()
    let target: Target = try await browser.call("Target.createTarget", ["url": "about:blank"])
    let attached: Attached = try await browser.call(
      "Target.attachToTarget", ["targetId": target.targetId, "flatten": true])
    browser.state.withLock { $0.session = attached.sessionId }
    try await browser.send("Page.enable")
    try await browser.send("Accessibility.enable")
    return browser
  }

  private struct Target: Decodable { var targetId: String }
  private struct Attached: Decodable { var sessionId: String }

  private init() throws {
    folder = try TemporaryFolder()
    let pipes = [folder.file("in"), folder.file("out")]
    for pipe in pipes where mkfifo(pipe, 0o600) != 0 { throw Failure(description: "mkfifo: \(errno)") }
    // Opened for both directions, which does not wait for the other side.
    input = FileHandle(fileDescriptor: Glibc.open(pipes[0], O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    output = FileHandle(fileDescriptor: Glibc.open(pipes[1], O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    let flags = [
      "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
      "--disable-dev-shm-usage", "--user-data-dir=\(folder.file("profile"))",
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
  func stop() async {
    try? await send("Browser.close")
    state.withLock { $0.isStopped = true }
    // Both ends are open here: this wakes the reader, which then ends.
    try? output.write(contentsOf: Data([0]))
    kill(process, SIGTERM)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
  }

  private struct Answer<Result: Decodable>: Decodable { var result: Result }

  /// Calls a method and reads its result.
  func call<Result: Decodable>(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws -> Result {
    try JSONDecoder().decode(Answer<Result>.self, from: try await exchange(method, parameters)).result
  }

  /// Calls a method whose result does not matter.
  func send(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws {
    _ = try await exchange(method, parameters)
  }

  private func exchange(_ method: String, _ parameters: [String: any Sendable]) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      do {
        let message = try state.withLock { state in
          state.nextID += 1
          state.waiting[state.nextID] = continuation
          var object: [String: any Sendable] = ["id": state.nextID, "method": method, "params": parameters]
          if let session = state.session, !method.hasPrefix("Browser."), !method.hasPrefix("Target.") {
            object["sessionId"] = session
          }
          return try JSONSerialization.data(withJSONObject: object) + [0]
        }
        try input.write(contentsOf: message)
      } catch {
        continuation.resume(throwing: error)
      }
    }
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
