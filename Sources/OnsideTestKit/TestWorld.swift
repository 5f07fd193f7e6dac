import DeterministicRandom
import Foundation
import Logging
import OnsideCommerce
import OnsideKit
import Synchronization

/// State that a test session and its devices share.
final class TestWorld: Sendable {
  let clock: TestClock
  let story = Story()
  let faults = FaultScript()
  let store: LocalStore
  let person: TestPerson
  let seed: UInt64
  /// How long to wait for what a test expects, in real time; see `OnsideTestSession.patience`.
  var patience: Duration {
    get { waits.withLock { $0 } }
    set { waits.withLock { $0 = newValue } }
  }
  private let waits = Mutex(Duration.seconds(30))

  private struct Weakly {
    weak var device: TestDevice?
  }
  @MainActor private var known: [Weakly] = []
  @MainActor private(set) var launches = 0

  /// When every session begins: 15 January 2027, 8:00 UTC.
  static let start = Date(timeIntervalSince1970: 1_800_000_000)
  /// The most events that may become due in one move of the clock.
  static let stepLimit = 100_000
  /// How much simulated time may pass by itself while a test waits: enough for retries.
  static let selfMovingTime = 600.0

  init(_ configuration: StoreKitConfiguration, seed: UInt64) {
    self.seed = seed
    let clock = TestClock(at: Self.start)
    self.clock = clock
    let bytes = SeededBytes(seed: seed, stream: 0)
    store = LocalStore(
      configuration,
      dependencies: Dependencies(
        now: { clock.now }, sleep: { try await clock.sleep($0, as: .store) }, randomBytes: { bytes.next($0) },
        storageFolder: URL(filePath: "/"), screens: NoScreens(), languages: { [] }, systemRegion: { nil },
        logger: StoryLog.logger(story, clock: clock, device: nil)))
    person = TestPerson(story: story, clock: clock)
    store.onNote { [story] in story.hear($0, at: clock.now) }
  }

  @MainActor var devices: [TestDevice] { known.compactMap(\.device) }
  @MainActor func add(_ device: TestDevice) { known.append(Weakly(device: device)) }

  @MainActor func nextLaunch() -> Int {
    launches += 1
    return launches
  }

  /// The last steps of the whole story.
  var lately: String { story.steps().suffix(40).map { "  \($0)" }.joined(separator: "\n") }

  // MARK: Time

  /// Moves the clock from one due event to the next; the devices come to rest after each.
  @MainActor func advance(to end: Date, _ site: CallSite) async throws {
    try await settle(site)
    story.add(.time, of: nil, device: nil, detail: "moves to \(StoryStep.text(of: end))", at: clock.now)
    for _ in 0..<Self.stepLimit {
      // Without a network every retry fails: one at the end stands for all.
      let tried = store.isOffline ? nil : clock.nextWake
      let next = min(tried ?? end, store.wakesAt ?? end)
      move(to: min(next, end))
      try await settle(site)
      if clock.now >= end { return }
    }
    throw site.failure(
      "expected the clock to come to \(StoryStep.text(of: end)), got \(Self.stepLimit) things that were due before; "
        + "move it in smaller steps, or choose a slower timeRate")
  }

  @MainActor private func move(to moment: Date) {
    clock.move(to: moment)
    store.deliverDueEvents()
  }

  /// Returns when every device rests: nothing more happens until the test, the store or the clock acts.
  @MainActor func settle(_ site: CallSite) async throws {
    var calm = 0
    try await wait(site) {
      calm = self.isAtRest ? calm + 1 : 0
      return calm > (self.devices.contains(where: \.isAsked) ? Self.timeToAnswer : 1)
    } orFail: {
      let busy = self.devices.filter { !$0.isAtRest }.map(\.name).joined(separator: ", ")
      return "expected every device to come to rest within \(self.patience), but this is still at work: \(busy)\n"
        + self.lately
    }
  }

  /// How many turns an app has to answer a question before the question counts as waiting for the user.
  private static let timeToAnswer = 50

  @MainActor private var isAtRest: Bool { devices.allSatisfy(\.isAtRest) }

  /// Returns when a condition holds. Short pauses before retries pass by themselves.
  ///
  /// - Parameter hindrance: the text of the failure if the condition can no longer hold, else nil. It ends the wait
  ///   once every device has been at rest for a second, in which the app's own tasks may act, and no retry is due.
  @MainActor func pass(
    _ site: CallSite, until isSo: @MainActor () -> Bool, unless hindrance: @MainActor () -> String? = { nil },
    orFail story: @MainActor () -> String
  ) async throws {
    let horizon = clock.now + Self.selfMovingTime
    var calm = 0
    var calmSince = ContinuousClock.now
    try await wait(site) {
      if isSo() { return true }
      calm = self.isAtRest ? calm + 1 : 0
      if calm <= 1 { calmSince = .now }
      if calm > 20, let next = self.clock.nextWake, next <= horizon {
        calm = 0
        self.move(to: min(next, self.store.wakesAt ?? next))
      }
      if calm > 1, ContinuousClock.now - calmSince >= .seconds(1), let hindrance = hindrance() {
        throw site.failure(hindrance)
      }
      return false
    } orFail: {
      story()
    }
  }

  @MainActor private func wait(
    _ site: CallSite, until isSo: @MainActor () throws -> Bool, orFail story: @MainActor () -> String
  ) async throws {
    let start = ContinuousClock.now
    var turns = 0
    while try !isSo() {
      if ContinuousClock.now - start >= patience { throw site.failure(story()) }
      turns += 1
      try await RealTime.breathe(turn: turns)
    }
  }
}

/// A presenter that is never used: the person answers without screens.
struct NoScreens: ScreenPresenter {
  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    throw ScreenPresentationError("expected no screen in a test session, got \(screen.rawValue)")
  }
}
