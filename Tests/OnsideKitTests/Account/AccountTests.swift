import Logging
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct AccountTests {
  let world = ClientHarness()
  let store = StoreDouble()

  func account(_ store: StoreDouble? = nil) -> AccountController {
    AccountController(
      store: store ?? self.store, dependencies: world.dependencies(region: "DE"),
      host: AccountController.Host(countryHint: { nil }, forcesLocalMethods: { false }))
  }

  @Test("ACC-1: calls that need a login while one is under way join it")
  func joins() async {
    let account = account()
    async let first = account.ensureSignedIn()
    async let second = account.ensureSignedIn()
    #expect(await eventually { account.waiting.count == 2 && store.now.signIns.count == 1 })
    store.answerLogin(.success(.alice))
    let actualFirst = await first
    #expect(actualFirst == .success(.loggedIn))
    let actualSecond = await second
    #expect(actualSecond == .success(.loggedIn))
    #expect(store.now.signIns.count == 1)
  }

  @Test("ACC-2: logged in already, a login succeeds without a screen")
  func alreadySignedIn() async {
    let store = StoreDouble(signedIn: .alice)
    let ensureSignedIn = await account(store).ensureSignedIn()
    #expect(ensureSignedIn == .success(.alreadySignedIn))
    #expect(store.now.signIns.isEmpty)
  }

  @Test("ACC-3: a dismissed login is reported to all, and no screen comes back by itself")
  func dismissed() async {
    let account = account()
    async let first = account.ensureSignedIn()
    async let second = account.ensureSignedIn()
    #expect(await eventually { account.waiting.count == 2 })
    store.answerLogin(.success(nil))
    let actualFirst = await first
    #expect(actualFirst == .failure(.loginDiscarded))
    let actualSecond = await second
    #expect(actualSecond == .failure(.loginDiscarded))
    #expect(account.signedIn == nil)
    #expect(store.now.signIns.count == 1)
  }

  @Test("ACC-4: the storefront is there, then the change is told, then the completions succeed")
  func order() async {
    let account = account()
    var told: [String] = []
    account.onChange = { change in
      told.append("\(change == .signedIn(.alice)) \(account.storefront?.countryCode ?? "-")")
    }
    store.answerLogin(.success(.alice))
    _ = await account.ensureSignedIn()
    told.append("completed")
    #expect(told == ["true NL", "completed"])
  }

  @Test("ACC-10: a login without an answer can be cancelled")
  func givenUp() async {
    let account = account()
    async let first = account.ensureSignedIn()
    #expect(await eventually { store.now.signIns.count == 1 })
    account.cancelLogin()
    let actualFirst = await first
    #expect(actualFirst == .failure(.loginDiscarded))
  }

  @Test("ACC-10: when the only task that waits is cancelled, the login is given up")
  func taskCancelled() async {
    let account = account()
    let task = Task { await account.ensureSignedIn() }
    #expect(await eventually { store.now.signIns.count == 1 })
    task.cancel()
    let taskValue = await task.value
    #expect(taskValue == .failure(.loginDiscarded))
    #expect(!account.logins.isRunning)
  }

  @Test("ACC-13: a logout clears everything at once and tells once; the store hears of it later, with retries")
  func logout() async {
    let store = StoreDouble(signedIn: .alice)
    store.set { $0.revocationFault = .connection }
    let account = account(store)
    account.start()
    #expect(await eventually { store.now.revocations == 1 && world.clock.sleepers == 1 })
    var told: [AccountChange] = []
    account.onChange = { told.append($0) }
    account.logout()
    #expect(account.signedIn == nil && account.storefront == nil)
    #expect(store.now.forgotten == 1)
    #expect(told == [.signedOut(.alice)])
    #expect(await eventually { world.clock.begun == 2 && world.clock.sleepers == 1 })
    #expect(store.now.revocations == 2)
    store.set { $0.revocationFault = nil }
    world.clock.advance(5)
    #expect(await eventually { store.now.revocations == 3 })
    #expect(told == [.signedOut(.alice)])
  }

  @Test("ACC-13: a logout while a login is open discards the login")
  func logoutDuringLogin() async {
    let account = account()
    async let login = account.ensureSignedIn()
    #expect(await eventually { store.now.signIns.count == 1 })
    account.logout()
    let actualLogin = await login
    #expect(actualLogin == .failure(.loginDiscarded))
  }

  @Test("ACC-14: a session that the store has ended logs out by itself")
  func sessionEnded() async {
    let store = StoreDouble(signedIn: .alice)
    let account = account(store)
    var told: [AccountChange] = []
    account.onChange = { told.append($0) }
    account.start()
    store.endSession()
    #expect(await eventually { account.signedIn == nil })
    #expect(told == [.signedOut(.alice)])
  }

  @Test("ACC-14: a call of an older session that fails late does not end the newer one")
  func lateFailure() {
    let account = account(StoreDouble(signedIn: .alice))
    account.sessionEnded()
    #expect(account.signedIn == .alice)
  }

  @Test("ACC-16: a stored session gives the storefront at once")
  func restored() {
    #expect(account(StoreDouble(signedIn: .bob)).storefront?.countryCode == "US")
  }

  @Test("ACC-7: the delegate is asked at each login")
  func options() async {
    let choice = Choice()
    let account = AccountController(
      store: store, dependencies: world.dependencies(region: "DE"),
      host: AccountController.Host(countryHint: { choice.hint }, forcesLocalMethods: { choice.isForced }))
    store.answerLogin(.success(.alice))
    _ = await account.ensureSignedIn()
    account.logout()
    (choice.hint, choice.isForced) = ("fr", false)
    store.answerLogin(.success(.alice))
    _ = await account.ensureSignedIn()
    let expected = [("BE", true), ("FR", false)].map { country, forced in
      SignInOptions(countryHint: CountryCode(alpha2: country), forcesLocalMethods: forced)
    }
    #expect(store.now.signIns == expected)
  }
}

/// What a delegate answers.
@MainActor
private final class Choice {
  var hint = "be"
  var isForced = true
}
