import Logging
import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct StorefrontTests {
  let world = ClientHarness()

  func account(_ store: StoreDouble, region: String? = nil, hint: @escaping @MainActor () -> String?)
    -> AccountController
  {
    AccountController(
      store: store, dependencies: world.dependencies(region: region),
      host: AccountController.Host(countryHint: hint, forcesLocalMethods: { false }))
  }

  @Test("STF-1: logged in, the account's region counts and the hint is not asked")
  func signedIn() {
    var asked = 0
    let account = account(StoreDouble(signedIn: .bob), region: "DE") {
      asked += 1
      return "FR"
    }
    #expect(account.countryForProducts == .unitedStates)
    #expect(asked == 0)
  }

  @Test(
    "STF-2: logged out, the hint counts, else the system's region, else the store's default",
    arguments: [("FR", "DE", "FR"), (nil, "DE", "DE"), (nil, nil, "NL"), ("xx", nil, "NL"), (nil, "001", "NL")])
  func signedOut(hint: String?, system: String?, expected: String) {
    var resolver = RegionResolver()
    resolver.storeDefault = .netherlands
    #expect(resolver.resolve(hint: hint, system: system).country?.alpha2 == expected)
  }

  @Test("STF-2: without any of them the store is asked without a country")
  func unknown() {
    var resolver = RegionResolver()
    #expect(resolver.resolve(hint: nil, system: nil).country == nil)
  }

  @Test("STF-3: a hint is trimmed and upper-cased; one that names no country is ignored with one warning")
  func hints() {
    var hints = [" nl\n", "Holland", "Holland", "NLD", "Holland"]
    let account = account(StoreDouble(), region: "DE") { hints.removeFirst() }
    #expect(account.provisionalCountry == .netherlands)
    while !hints.isEmpty {
      #expect(account.provisionalCountry?.alpha2 == "DE")
    }
    #expect(world.log.lines(.warning).count == 2)
    #expect(world.log.lines(.warning).allSatisfy { $0.contains("alpha-2") })
  }

  @Test("STF-4: a change is told on login, logout and another country, and on nothing else")
  func changes() {
    let account = account(StoreDouble(signedIn: .alice)) { nil }
    var told: [AccountChange] = []
    account.onChange = { told.append($0) }
    account.regionLearned(.netherlands, for: .alice)
    #expect(told.isEmpty)
    account.regionLearned(.unitedStates, for: .alice)
    let moved = SignedIn(accountID: SignedIn.alice.accountID, country: .unitedStates)
    #expect(told == [.storefrontChanged(moved)])
    account.regionLearned(.netherlands, for: .bob)
    #expect(told.count == 1)
    account.logout()
    account.logout()
    #expect(told == [.storefrontChanged(moved), .signedOut(moved)])
  }

  @Test("STF-4: another account is two changes, each told after it has happened")
  func anotherAccount() {
    let account = account(StoreDouble(signedIn: .alice)) { nil }
    var told: [String] = []
    account.onChange = { _ in told.append(account.storefront?.countryCode ?? "none") }
    account.adopt(.bob)
    #expect(told == ["none", "US"])
  }

  @Test("STF-5: the id is opaque, the same for a country within a launch, and another one in the next launch")
  func ids() {
    let account = account(StoreDouble(signedIn: .alice)) { nil }
    let first = account.storefront
    account.regionLearned(.unitedStates, for: .alice)
    #expect(account.storefront?.id != first?.id)
    #expect(account.storefront?.countryCode == "US")
    account.regionLearned(.netherlands, for: .alice)
    #expect(account.storefront == first)
    let nextLaunch = self.account(StoreDouble(signedIn: .alice)) { nil }
    #expect(nextLaunch.storefront?.id != first?.id)
  }
}
