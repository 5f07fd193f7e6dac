import Foundation
import Glibc
import StoreTestSupport
import Synchronization

/// A real Chromium without a window, driven over its debugging pipe (Chrome DevTools Protocol, messages end in NUL).
public final class Chromium: Sendable {
  /// The program's path; nil where the tests that need it do not run. The headless shell comes first: the same engine
  /// without Chromium's user interface, which starts and loads pages with a quarter of the processor time. Debian's
  /// script of that name in /usr/bin would stay between the tests and the browser.
  public static let path = [
    "/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ].first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Why the browser did not do what it was asked.
  public struct Failure: Error, CustomStringConvertible {
    /// What it said, or what did not come.
    public let description: String
  }

  struct State {
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
    var session: String?
    var hasEnded = false
  }

  /// How long an answer may take, for busy machines.
  private static let patience = Duration.seconds(180)

  private let process: pid_t
  private let folder: URL
  private let output: FileHandle
  private let input: FileHandle
  private let state = Mutex(State())
  private let writing = Mutex(())
  private let (ends, end) = AsyncStream.makeStream(of: Never.self)

  /// Starts a browser with one empty page.
  public static func start() async throws -> Chromium {
    let browser = try Chromium()
    do {
      try await browser.openTab()
    } catch {
      await browser.stop()
      throw error
    }
    return browser
  }

  /// Opens an empty page in a tab of its own; later calls go to that tab.
  public func openTab() async throws {
    let target: Target = try await call("Target.createTarget", parameters: ["url": "about:blank"])
    let attached: Attached = try await call(
      "Target.attachToTarget", parameters: ["targetId": target.targetId, "flatten": true])
    state.withLock { $0.session = attached.sessionId }
    try await send("Page.enable")
    try await send("Accessibility.enable")
  }

  private struct Target: Decodable { var targetId: String }
  private struct Attached: Decodable { var sessionId: String }

  private init() throws {
    // A browser that died must not end the tests that write to it.
    signal(SIGPIPE, SIG_IGN)
    folder = FileManager.default.temporaryDirectory.appending(path: "onside-chromium-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (commands, answers) = (try makePipe(), try makePipe())
    (input, output) = (commands.writing, answers.reading)
    let flags = [
      "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
      "--disable-dev-shm-usage", "--user-data-dir=\(folder.appending(path: "profile").path)",
    ]
    // It talks over its files 3 and 4. This process closes its copies of them, or it would never see the pipe's end.
    process = try spawn(
      Chromium.path ?? "", arguments: flags, environment: ProcessInfo.processInfo.environment,
      files: [
        .null, .null, .null, .open(commands.reading.fileDescriptor), .open(answers.writing.fileDescriptor),
      ])
    try commands.reading.close()
    try answers.writing.close()
    Thread.detachNewThread { [weak self, output] in
      var rest = Data()
      while let chunk = try? output.read(upToCount: 1), !chunk.isEmpty {
        let parts = (chunk + output.availableBytes).split(separator: 0, omittingEmptySubsequences: false)
        for part in parts.dropLast() {
          self?.receive(rest + part)
          rest = Data()
        }
        rest += parts.last ?? Data()
      }
    }
    Thread.detachNewThread { [weak self, process, end] in
      var status: Int32 = 0
      while waitpid(process, &status, 0) == -1, errno == EINTR {}
      self?.failAll(with: Failure(description: "the browser ended, with wait status \(status)"))
      end.finish()
    }
  }

  /// Ends the browser: when it does not end by itself within ten seconds, by force.
  public func stop() async {
    // Before the farewell: a browser that reads nothing blocks who writes to it.
    let force = Task {
      try await Task.sleep(for: .seconds(10))
      send(signal: SIGKILL)
    }
    try? post("Browser.close")
    // Not cancelled with the caller: a browser that is left behind would outlive the tests.
    await Task { for await _ in ends {} }.value
    force.cancel()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Sends the browser's process a signal, for tests of its death.
  public func send(signal: Int32) {
    // Not after its end: the number may be another process's by then.
    state.withLock { if !$0.hasEnded { _ = kill(process, signal) } }
  }

  /// Ends every open call, and those to come.
  private func failAll(with failure: Failure) {
    let open = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in open { continuation.resume(throwing: failure) }
  }

  private struct Answer<Result: Decodable>: Decodable { var result: Result }

  /// Calls a method and reads its result.
  public func call<Result: Decodable>(
    _ method: String, parameters: [String: any Sendable] = [:]
  ) async throws -> Result {
    try JSONDecoder().decode(Answer<Result>.self, from: try await exchange(method, parameters: parameters)).result
  }

  /// Calls a method whose result does not matter.
  public func send(_ method: String, parameters: [String: any Sendable] = [:]) async throws {
    _ = try await exchange(method, parameters: parameters)
  }

  private func exchange(_ method: String, parameters: [String: any Sendable]) async throws -> Data {
    let number = Mutex(0)
    let deadline = Task {
      try await Task.sleep(for: Self.patience)
      let id = number.withLock { $0 }
      state.withLock { $0.waiting.removeValue(forKey: id) }?
        .resume(throwing: Failure(description: "\(method): no answer within \(Self.patience)"))
    }
    defer { deadline.cancel() }
    return try await withCheckedThrowingContinuation { continuation in
      do {
        try post(method, parameters: parameters) { state in
          state.waiting[state.nextID] = continuation
          number.withLock { [id = state.nextID] in $0 = id }
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Sends a message; `note` may remember who waits for its answer.
  func post(
    _ method: String, parameters: [String: any Sendable] = [:], note: (inout State) -> Void = { _ in }
  ) throws {
    let id = try state.withLock { state in
      guard !state.hasEnded else { throw Failure(description: "\(method): the browser has ended") }
      state.nextID += 1
      note(&state)
      return state.nextID
    }
    do {
      let message = try message(id, method: method, parameters: parameters)
      try writing.withLock { _ in try input.write(contentsOf: message) }
    } catch {
      // When the end was noticed first, the open call has already failed.
      guard let continuation = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
      continuation.resume(throwing: error)
    }
  }

  private func message(_ id: Int, method: String, parameters: [String: any Sendable]) throws -> Data {
    var object: [String: any Sendable] = ["id": id, "method": method, "params": parameters]
    if let session = state.withLock({ $0.session }), !method.hasPrefix("Browser."), !method.hasPrefix("Target.") {
      object["sessionId"] = session
    }
    return try JSONSerialization.data(withJSONObject: object) + [0]
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

/// The two ends of a pipe, which programs started beside do not inherit.
private func makePipe() throws -> (reading: FileHandle, writing: FileHandle) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
    throw Chromium.Failure(description: "pipe: \(errno)")
  }
  return (
    FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  )
}

extension FileHandle {
  /// What can be read without waiting.
  fileprivate var availableBytes: Data {
    var count: Int32 = 0
    guard ioctl(fileDescriptor, UInt(FIONREAD), &count) == 0, count > 0 else { return Data() }
    return (try? read(upToCount: Int(count))) ?? Data()
  }
}
