import DeterministicRandom
import Foundation
import OnsideCommerce
public import OnsideKit

/// A simulated device with the app: a disk that lasts, and launches of the app.
@MainActor
public final class TestDevice {
  /// A point between two steps of a purchase at which an app can crash.
  public enum CrashPoint: String, CaseIterable, Sendable {
    /// The app has added the payment; nothing is on disk.
    case added
    /// The payment is on disk.
    case stored
    /// The store has made the order.
    case ordered
    /// The payment screen is about to open.
    case screen
    /// The outcome is known; the app was not notified.
    case settled
    /// The app was notified of the outcome; none of its requests since then has been carried out.
    case delivered
    /// The finish is on disk.
    case finished
    /// The store knows of the finish.
    case told
  }

  /// The device's name in the story.
  public let name: String
  let world: TestWorld
  private let disk = MemoryDisk()
  private let bytes: SeededBytes
  private var session: Session?
  private var crashPoint: CrashPoint?

  private struct Session {
    let launch: Int
    let scope: ClientScope
    let client: OnsideClient
    let network: DisturbedStore
    /// What the app made at its launch. The queue holds observers weakly.
    var app: [Any] = []
  }

  init(_ name: String, world: TestWorld) {
    self.name = name
    self.world = world
    bytes = SeededBytes(seed: world.seed, stream: UInt64(world.devices.count + 1))
    world.add(self)
  }

  // MARK: Launches

  /// Whether the app runs.
  public var isRunning: Bool { session != nil }

  /// The client of the running app.
  ///
  /// It is a mistake in the test to ask for it when the app does not run.
  public var client: OnsideClient {
    guard let session else {
      preconditionFailure("the app is not running on \(name): call launch(_:) first")
    }
    return session.client
  }

  /// The payment queue of the running app.
  public var queue: any OnsidePaymentQueue { client.defaultPaymentQueue() }

  /// Launches the app. Within `app`, and in all tasks that begin there, `Onside` is this device's: the app's code runs
  /// unchanged. The value that `app` returns is kept for as long as the app runs.
  ///
  /// When the app runs already, `app` runs within it.
  @discardableResult
  public func launch<App>(_ app: @MainActor () throws -> App) rethrows -> App {
    let scope = start().scope
    let made = try scope.bind(app)
    session?.app.append(made)
    return made
  }

  /// Launches a minimal app, which records and finishes the transactions that it gets.
  @discardableResult
  public func launch() -> SimpleApp { launch { SimpleApp(queue) } }

  private func start() -> Session {
    if let session { return session }
    let launch = world.nextLaunch()
    let scope = ClientScope()
    var network: DisturbedStore?
    world.story.add(.launched, of: nil, device: name, at: world.clock.now)
    let client = scope.bind {
      OnsideClient(localStore: world.store, dependencies: dependencies(launch), scope: scope, person: world.person) {
        let disturbed = DisturbedStore($0, world: world, device: name, launch: launch)
        network = disturbed
        return disturbed
      }
    }
    guard let network else { preconditionFailure("a client is always given its store") }
    let started = Session(launch: launch, scope: scope, client: client, network: network)
    session = started
    client.onNote = { [world, name] in world.story.hear($0, on: name, at: world.clock.now) }
    client.onCheckpoint { [weak self] in self?.reached($0, in: launch) }
    return started
  }

  private func dependencies(_ launch: Int) -> Dependencies {
    let clock = world.clock
    var dependencies = Dependencies(
      now: { clock.now },
      sleep: { seconds in
        try await clock.sleep(seconds, as: .now(of: launch))
      },
      randomBytes: { [bytes] in bytes.next($0) }, storageFolder: URL(filePath: "/app/"),
      screens: NoScreens(), languages: { [world] in [world.store.settings.language] },
      systemRegion: { nil }, logger: StoryLog.logger(world.story, clock: clock, device: name))
    dependencies.files = disk.launch(launch)
    return dependencies
  }

  // MARK: Crashes

  /// The app ends at once, as if it had crashed. What it has written stays on the disk.
  public func crash() { end("", powerCut: false) }

  /// The device loses power: the app ends, and the disk loses what was not flushed.
  public func losePower() { end("the device lost power", powerCut: true) }

  /// Makes the app crash when the next purchase reaches that point.
  public func crash(at point: CrashPoint) { crashPoint = point }

  private func end(_ detail: String, powerCut: Bool) {
    guard let session else { return }
    world.story.add(.crashed, of: nil, device: name, detail: detail, at: world.clock.now)
    disk.end(powerCut: powerCut)
    session.client.kill()
    self.session = nil
  }

  private func reached(_ checkpoint: Checkpoint, in launch: Int) {
    guard session?.launch == launch else { return }
    // Requests of the app during the delivery are never carried out: otherwise the result would depend on the disk's
    // speed.
    if checkpoint.point == .settled, crashPoint == .delivered { disk.end(powerCut: false) }
    guard checkpoint.point == crashPoint else { return }
    crashPoint = nil
    end("at: \(checkpoint.point.rawValue)", powerCut: false)
  }

  // MARK: Rest

  /// Whether the device does nothing any more until the test, the store or the clock acts.
  var isAtRest: Bool {
    guard let session else { return true }
    let (work, calls) = (session.client.work, session.network.calls.open)
    guard work.isDiskIdle, !work.isWoken else { return false }
    let resting = calls.filter {
      $0.rests || $0.poll.map { !world.store.syncAnswersAtOnce(for: $0.account, since: $0.cursor) } ?? false
    }
    guard resting.count == calls.count else { return false }
    let isLoginOpen = resting.contains { $0.kind == .signIn }
    if work.loginsWaitedFor > 0, !isLoginOpen { return false }
    let ofQueue = resting.count { !$0.kind.isOfTheApp }
    return work.tasks <= ofQueue + world.clock.pauses(of: session.launch) + work.loginsWaitedFor + work.questions
  }

  /// Whether the app was asked something and has not answered; it may be about to.
  var isAsked: Bool { session.map { $0.client.work.questions > 0 } ?? false }

  /// Whether a payment is between `add` and its outcome, and not before an open screen.
  var isPaying: Bool {
    guard let session, session.client.work.isPaying else { return false }
    return !session.network.calls.open.contains { $0.rests && ($0.kind == .payment || $0.kind == .signIn) }
  }

  /// Runs `body` on this device's scope; throws a failure when the app does not run.
  func bind<Value>(_ site: CallSite, _ body: (OnsideClient) throws -> Value) throws -> Value {
    guard let session else {
      throw site.failure("expected the app to run on \(name), but it does not; call launch(_:) first")
    }
    return try session.scope.bind { try body(session.client) }
  }
}

extension TestClock.Sleep {
  /// What the present task sleeps for.
  fileprivate static func now(of launch: Int) -> TestClock.Sleep {
    guard PresentTask.isPausing else { return .other(launch: launch) }
    return PresentTask.onlyLooksAtClock ? .look(launch: launch) : .pause(launch: launch)
  }
}

extension StoreCall {
  /// Whether the app waits for it, and no task of the client.
  fileprivate var isOfTheApp: Bool { [.signIn, .products, .offerings, .subscriptions].contains(self) }
}

extension Checkpoint {
  fileprivate var point: TestDevice.CrashPoint {
    switch self {
    case .added: .added
    case .journaled: .stored
    case .ordered: .ordered
    case .presenting: .screen
    case .settled: .settled
    case .delivered: .delivered
    case .finishJournaled: .finished
    case .finishSent: .told
    }
  }
}
