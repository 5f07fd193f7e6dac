import DeterministicRandom
import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// A simulated device: a disk, an app with a state of its own, and, while it is on, the app's process with the SDK.
@MainActor
final class SimulatedDevice {
  let name: String
  let disk: SimulatedDisk
  /// The app's own state; it is never lost.
  let app: SimulatedApp
  /// The account whose session is stored.
  var signedIn: SignedIn?
  /// The accounts whose session is stored after a logout, until the store has ended it.
  private var forgotten: Set<AccountID> = []
  private(set) var session: AppSession?
  /// Orders whose screen was closed from here, as they were when it was opened.
  var dismissed: [UUID: OrderMessage] = [:]
  /// Whether the device has no network.
  var isCutOff = false
  private var accounts: [AccountID]
  private let entropy: SeededBytes
  private unowned let world: SimulatedWorld

  init(_ name: String, accounts: [AccountID], seed: UInt64, world: SimulatedWorld) {
    self.name = name
    self.accounts = accounts
    self.world = world
    disk = SimulatedDisk(seed: seed, brokenRule: world.brokenRule)
    entropy = SeededBytes(seed: seed &+ 1)
    app = SimulatedApp(name, world: world)
  }

  var isOn: Bool { session != nil }

  func start() {
    guard session == nil, !world.isOver else { return }
    world.trace { _ in "\(self.name) starts" }
    let link = DeviceLink(self, session: SessionBox(signedIn, forgotten: forgotten), world: world)
    session = AppSession(self, link: link, dependencies: dependencies())
  }

  /// The process ends without a warning.
  func die(_ death: SimulatedDisk.Death) {
    disk.die(death)
    buryIfDead()
  }

  /// Clears up after a process that has died, perhaps in the middle of a call to its disk.
  @discardableResult
  func buryIfDead() -> Bool {
    guard let death = disk.takeDeath() else { return false }
    world.trace { _ in "\(self.name) dies by \(death.rawValue)" }
    signedIn = session?.link.signedIn
    forgotten = session?.link.session.forgotten ?? forgotten
    app.died()
    session?.end()
    session = nil
    return true
  }

  /// Ends all faults; the user stays with one account.
  func calmDown(for account: AccountID) {
    isCutOff = false
    disk.calmDown()
    accounts = [account]
    start()
    session?.observe()
    if session?.signedIn?.accountID != account { session?.logout() }
  }

  /// Logs in again when no account is signed in.
  func keep(_ account: AccountID) {
    if let session, session.signedIn == nil { session.login() }
  }

  /// The account that the user chooses at a login.
  func nextLogin() -> AccountID? { world.random.chance(80) ? accounts.first : accounts.last }

  /// Shows a payment page until it is closed.
  func showPayment(of order: OrderMessage) async throws(StoreError) {
    guard !world.random.chance(5) else { throw .presentationFailed }
    let screen = PaymentScreen(order, world: world)
    await screen.untilClosed()
    dismissed[order.id.uuid] = order
  }

  private func dependencies() -> Dependencies {
    let (clock, entropy) = (world.agenda.clock, entropy)
    var dependencies = Dependencies(
      now: { clock.now }, sleep: { [weak world] in try await world?.sleep($0) },
      randomBytes: { entropy.next($0) }, storageFolder: URL(filePath: "/\(name)", directoryHint: .isDirectory),
      screens: NoScreens(), languages: { ["en"] }, systemRegion: { "NL" },
      logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() })
    dependencies.files = disk.mount()
    return dependencies
  }
}

/// Screens are shown by the simulated store; the SDK's presenter is never asked.
private struct NoScreens: ScreenPresenter {
  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
  ) async throws -> ScreenOutcome { throw ScreenPresentationError("The simulated store shows its pages itself.") }
}
