import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import Synchronization

/// The client side of a local store: the stored login of one device, and the SDK's calls to the store.
final class LocalDevice: Sendable {
  let local: LocalStore
  let dependencies: Dependencies
  /// Answers in place of pages; nil when pages are shown.
  let person: (any LocalPerson)?
  let installation: Installation
  private let folder: DurableFolder
  private let session: Mutex<SignedIn?>
  private let changed: AsyncStream<Void>.Continuation
  let signedInChanges: AsyncStream<Void>

  private static let file = "local-session.json"

  /// Reads the small session file at once, so that a stored login is known before the first call (ACC-16).
  init(_ local: LocalStore, dependencies: Dependencies, person: (any LocalPerson)? = nil) {
    self.local = local
    self.person = person
    self.dependencies = dependencies
    installation = Installation(dependencies)
    folder = DurableFolder(url: dependencies.storageFolder, files: dependencies.files)
    (signedInChanges, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let stored = try? folder.read(Self.file).flatMap { try? JSONDecoder().decode(SignedIn.self, from: $0) }
    session = Mutex(stored.map { SignedIn(accountID: $0.accountID, country: local.region) })
  }

  func keep(_ signedIn: SignedIn?) {
    session.withLock { $0 = signedIn }
    do {
      try folder.make()
      guard let signedIn else { return try folder.erase([Self.file]) }
      try folder.write([(name: Self.file, content: JSONEncoder().encode(signedIn))])
    } catch {
      dependencies.logger.error("The local login cannot be kept: \(error)")
    }
  }

  /// Makes a call for an account, the signed-in one unless given; its changes are on disk when it returns.
  func call<Value: Sendable>(
    of account: AccountID? = nil, _ body: (inout LocalShop, AccountID, Date) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    if Task.isCancelled { throw .cancelled }
    guard let account = account ?? signedIn?.accountID else { throw .notSignedIn }
    do {
      let value = try local.change { shop, now throws(StoreError) in
        if shop.isOffline { throw .connection }
        return try body(&shop, account, now)
      }
      await local.save()
      return value
    } catch {
      // A reset has forgotten the account.
      if error == .notSignedIn, account == signedIn?.accountID {
        keep(nil)
        changed.yield()
      }
      throw error
    }
  }
}

extension LocalDevice: AccountStore {
  var signedIn: SignedIn? { session.withLock { $0 } }

  func signIn(_ screens: any ScreenPresenter, options: SignInOptions) async throws(StoreError) -> SignedIn? {
    if local.isOffline { throw .connection }
    guard let name = try await chooseAccount(on: screens) else { return nil }
    if Task.isCancelled { throw .cancelled }
    let signedIn = local.change { shop, now in
      SignedIn(accountID: shop.account(named: name, at: now), country: shop.storefront)
    }
    await local.save()
    keep(signedIn)
    return signedIn
  }

  func forgetSignIn() { keep(nil) }

  func revokeForgotten(after last: @escaping @Sendable (AccountID) async -> Void) {}

  func keepRegion(_ country: CountryCode, of account: AccountID) {
    guard var signedIn, signedIn.accountID == account else { return }
    signedIn.country = country
    keep(signedIn)
  }
}
