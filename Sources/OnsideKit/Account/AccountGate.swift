package import OnsideAPI
package import OnsideCommerce

/// What the payment queue knows of the account: who is signed in, how to get somebody signed in, and when that changes.
@MainActor
package protocol AccountGate: AnyObject {
  /// Who is signed in, if anybody.
  var signedIn: SignedIn? { get }
  /// The storefront of whoever is signed in, with the opaque id of this launch.
  var storefront: OnsideStorefront? { get }
  /// The region to run in before anybody is signed in: hint, system, store default (STF-2).
  var provisionalCountry: CountryCode? { get }
  /// Signs in with a screen unless somebody is signed in already; joins a login under way (ACC-1).
  /// - Returns: whether this call had to log in, or why nobody is signed in.
  func ensureSignedIn() async -> Result<SignInEffort, LoginFailure>
  /// Takes in the region that a sync told; the account changes its storefront and tells its listener.
  func regionLearned(_ country: CountryCode, for account: SignedIn)
  /// The store has refused the session for good (ACC-14): forget it.
  func sessionEnded()
  /// Returns when nothing is left to be said to the store for an account that has logged out; its session is ended
  /// there afterwards.
  var beforeRevoking: (@MainActor (AccountID) async -> Void)? { get set }
  /// Told on the main actor, after the state has changed, on every change of ``storefront`` (STF-4) and of the account.
  var onChange: (@MainActor (AccountChange) -> Void)? { get set }
}

/// How much it took to be signed in.
package enum SignInEffort: Sendable, Hashable {
  /// Somebody was signed in already.
  case alreadySignedIn
  /// The user went through a login.
  case loggedIn
}

/// Why a login did not happen.
package enum LoginFailure: Error, Hashable, Sendable {
  /// The user dismissed the screen, or the app gave the login up.
  case loginDiscarded
  /// Something else than the user's decision.
  case failed(OnsideFailure)

  /// The error that the waiting forms throw.
  package var thrown: any Error {
    switch self {
    case .loginDiscarded: OnsideLoginError.loginDiscarded
    case .failed(let failure): failure
    }
  }
}

/// A change of the account.
package enum AccountChange: Sendable, Hashable {
  case signedIn(SignedIn)
  case signedOut(SignedIn)
  case storefrontChanged(SignedIn)
}
