import OnsideKit

// Completions that an app stores and passes on. This target is compiled in the Swift 5 language mode, where a warning
// is an error.

typealias LoginResult = Result<Void, OnsideLoginError>

@MainActor
final class Account {
  var stored: ((LoginResult) -> Void)?
  var isolated: (@MainActor (LoginResult) -> Void)?
  private var isLoggedIn = false

  func logIn(_ completion: @escaping (LoginResult) -> Void) {
    stored = completion
    isolated = completion
    Onside.requestLogin(completion: completion)
    Onside.requestLogin(completion: stored)
    Onside.requestLogin(completion: isolated)
    Onside.requestLogin(completion: loggedIn)
    Onside.requestLogin { [weak self] result in self?.loggedIn(result) }
    Onside.requestLogin()
  }

  func showCards(_ completion: ((Result<Void, OnsidePaymentMethodsManagerError>) -> Void)?) {
    Onside.presentPaymentMethodsManager(completion: completion)
  }

  func askForRefund(
    of transaction: OnsidePaymentTransaction, completion: ((Result<Void, OnsideRefundRequestError>) -> Void)?
  ) {
    Onside.presentRefundRequest(for: transaction, completion: completion)
  }

  func findVisit(
    _ completion: @escaping (Result<OnsideAttributionMetadata, OnsideAttributionMetadataError>) -> Void
  ) {
    Onside.getAttributionMetadata(completion: completion)
  }

  private func loggedIn(_ result: LoginResult) { isLoggedIn = (try? result.get()) != nil }
}

/// A class without an actor.
final class Wrapper {
  func logIn(_ completion: ((LoginResult) -> Void)? = nil) { Onside.requestLogin(completion: completion) }
}

/// A call from another actor.
actor Catalogue {
  func logIn() async { await Onside.requestLogin { result in print(result) } }
}
