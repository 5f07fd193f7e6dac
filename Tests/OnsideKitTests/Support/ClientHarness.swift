import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization
import TestSupport

@testable import OnsideKit

/// What a test hands to the SDK: a folder, a clock, randomness and a log of its own.
final class ClientHarness: Sendable {
  let folder = ProcessFolder.url.appending(path: "client-\(UUID().uuidString)")
  let clock = StepClock()
  let log = LogRecorder()
  private let bytes = Mutex<UInt8>(0)

  deinit { try? FileManager.default.removeItem(at: folder) }

  func dependencies(
    screens: any ScreenPresenter = NobodyLooks(), languages: [String] = ["en"], region: String? = nil
  ) -> Dependencies {
    Dependencies(
      now: { [clock] in clock.now }, sleep: { [clock] in try await clock.sleep($0) },
      randomBytes: { [self] count in nextBytes(count) }, storageFolder: folder, screens: screens,
      languages: { languages }, systemRegion: { region }, logger: log.logger)
  }

  func configuration(_ store: URL = URL(filePath: "/")) -> OnsideConfiguration {
    var configuration = OnsideConfiguration.example
    configuration.storageFolder = folder
    configuration.storeURL = store
    return configuration
  }

  private func nextBytes(_ count: Int) -> [UInt8] {
    bytes.withLock { last in
      last &+= 1
      return [UInt8](repeating: last, count: count)
    }
  }
}

extension OnsideConfiguration {
  static var example: OnsideConfiguration {
    let sources = ConfigurationSources(
      plist: [:],
      environment: [
        "ONSIDE_STORE_URL": "http://127.0.0.1:1", "ONSIDE_APP_ID": "io.example.lumen",
        "ONSIDE_STORAGE_FOLDER": "/nowhere",
      ])
    guard let configuration = try? OnsideConfiguration(sources: sources) else {
      preconditionFailure("the example configuration is malformed")
    }
    return configuration
  }
}

extension SignedIn {
  static let aliceSubject = Base64URL.encode([UInt8](repeating: 1, count: 32))
  static let bobSubject = Base64URL.encode([UInt8](repeating: 2, count: 32))
  static let alice = SignedIn(accountID: id(aliceSubject), country: .netherlands)
  static let bob = SignedIn(accountID: id(bobSubject), country: .unitedStates)

  private static func id(_ subject: String) -> AccountID {
    guard let id = AccountID(subject: subject) else { preconditionFailure("expected a subject, got \(subject)") }
    return id
  }
}

/// A user who closes every screen.
struct NobodyLooks: ScreenPresenter {
  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome { .dismissed }
}

/// A clock that the test moves. Pauses under a second are over at once; longer ones wait to be moved over.
final class StepClock: Sendable {
  private struct State {
    var now = Date(timeIntervalSince1970: 1_800_000_000)
    var sleepers: [Int: (end: Date, wake: AsyncStream<Void>.Continuation)] = [:]
    var next = 0
  }
  private let state = Mutex(State())

  var now: Date { state.withLock { $0.now } }
  /// How many long pauses have begun.
  var begun: Int { state.withLock { $0.next } }
  /// How many pauses are waiting to be moved over.
  var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// How many pauses are waiting that are over in exactly so many seconds.
  func sleepers(endingIn seconds: Double) -> Int {
    state.withLock { state in state.sleepers.values.count { $0.end == state.now + seconds } }
  }

  func advance(_ seconds: Double) {
    let due = state.withLock { state in
      state.now += seconds
      let due = state.sleepers.filter { $0.value.end <= state.now }
      for id in due.keys { state.sleepers.removeValue(forKey: id) }
      return due.values.map(\.wake)
    }
    for sleeper in due {
      sleeper.yield()
      sleeper.finish()
    }
  }

  func sleep(_ seconds: Double) async throws {
    guard seconds >= 1 else {
      await Task.yield()
      return try Task.checkCancellation()
    }
    let (stream, wake) = AsyncStream.makeStream(of: Void.self)
    let id = state.withLock { state in
      state.next += 1
      state.sleepers[state.next] = (state.now + seconds, wake)
      return state.next
    }
    for await _ in stream { return }
    _ = state.withLock { $0.sleepers.removeValue(forKey: id) }
    throw CancellationError()
  }
}

/// Waits for a condition that other tasks bring about.
/// - Returns: false if it does not hold within a minute, or when the test's time is up.
@MainActor
func eventually(_ condition: @MainActor () async -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + .seconds(60)
  while !Task.isCancelled, ContinuousClock.now < deadline {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return await condition()
}
