package import OnsideAPI
package import OnsideCommerce

/// The payment queue's view of the account: the signed-in account, login on demand, and change callbacks.
@MainActor
package protocol AccountGate: AnyObject {
  /// The signed-in account; nil while signed out.
  var signedIn: SignedIn? { get }
  /// The storefront of the signed-in account, with the opaque id of this launch.
  var storefront: OnsideStorefront? { get }
  /// The region to use while signed out: hint, system, store default (STF-2).
  var provisionalCountry: CountryCode? { get }
  /// Signs in with a screen unless an account is signed in already; joins a login under way (ACC-1).
  /// - Returns: whether this call had to log in, or why the login failed.
  func ensureSignedIn() async -> Result<SignInEffort, LoginFailure>
  /// Sets the region that a sync reported; the account changes its storefront and calls ``onChange``.
  func regionLearned(_ country: CountryCode, for account: SignedIn)
  /// The store has refused the session for good (ACC-14): forget it.
  func sessionEnded()
  /// Called before the session of a logged-out account is ended at the store; returns when the store has all its
  /// finishes.
  var beforeRevoking: (@MainActor (AccountID) async -> Void)? { get set }
  /// Called on the main actor after each change of ``storefront`` (STF-4) or of the account.
  var onChange: (@MainActor (AccountChange) -> Void)? { get set }
}

/// Whether a login was needed.
package enum SignInEffort: Sendable, Hashable {
  /// An account was signed in already.
  case alreadySignedIn
  /// The user went through a login.
  case loggedIn
}

/// Why a login did not happen.
package enum LoginFailure: Error, Hashable, Sendable {
  /// The user dismissed the screen, or the app gave the login up.
  case loginDiscarded
  /// A fault, not the user's decision.
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
