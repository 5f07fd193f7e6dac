package import Foundation
import Logging

extension AccountController {
  package func ensureSignedIn() async -> Result<SignInEffort, LoginFailure> {
    guard signedIn == nil else { return .success(.alreadySignedIn) }
    nextWaiter += 1
    let waiter = nextWaiter
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting[waiter] = continuation
        handle(.requested(waiter: waiter))
        if Task.isCancelled { handle(.abandoned(waiter: waiter)) }
      }
    } onCancel: {
      Task { @MainActor in self.handle(.abandoned(waiter: waiter)) }
    }
  }

  /// Cancels a login under way: its screen closes, and every caller that joined it gets `.loginDiscarded` (ACC-10).
  package func cancelLogin() { handle(.cancelled) }

  /// Completes a login of an earlier process with its redirect address; any other address changes nothing (ACC-8).
  package func resume(_ answer: URL) {
    Task {
      guard await store.awaits(answer), signedIn == nil, !logins.isRunning else { return }
      self.answer = answer
      handle(.answered)
    }
  }

  /// - Parameter failure: why the attempt that ends did not succeed, unless the user decided so.
  func handle(_ event: LoginMachine.Event, failure: OnsideFailure? = nil) {
    for effect in logins.handle(event) {
      switch effect {
      case .begin(let attempt): begin(attempt)
      case .remind:
        host.storeApp?.askAgain()
        reminder?.remind(at: dependencies.now())
      case .cancel:
        login?.cancel()
        store.forgetPendingLogin()
      case .settle(let waiters, let signedIn):
        let refusal = failure.map(LoginFailure.failed) ?? .loginDiscarded
        let result: Result<SignInEffort, LoginFailure> = signedIn ? .success(.loggedIn) : .failure(refusal)
        for waiter in waiters { waiting.removeValue(forKey: waiter)?.resume(returning: result) }
      }
    }
  }

  private func begin(_ attempt: Int) {
    let earlier = login
    let answer = answer
    self.answer = nil
    login = Task { [weak self] in
      await earlier?.value
      guard let self, !Task.isCancelled else { return }
      var result: SignedIn?
      var failure: OnsideFailure?
      if let answer { result = await self.signIn(answeredWith: answer) }
      // A caller that has asked for a login meanwhile still needs one.
      if result == nil, answer == nil || !waiting.isEmpty, !Task.isCancelled {
        do throws(StoreError) { result = try await self.signIn() } catch { failure = OnsideFailure(error) }
      }
      self.ended(attempt, result: result, failure: failure)
    }
  }

  private func signIn(answeredWith answer: URL) async -> SignedIn? {
    do {
      return try await store.signIn(answeredWith: answer)
    } catch {
      dependencies.logger.error("expected a login that began before this start to end, but the store said \(error)")
      return nil
    }
  }

  private func signIn() async throws(StoreError) -> SignedIn? {
    let options = SignInOptions(
      countryHint: provisionalCountry, forcesLocalMethods: host.forcesLocalMethods(),
      hidesProviders: host.hidesProviders())
    do {
      return try await signIn(options)
    } catch {
      if error != .cancelled { dependencies.logger.error("expected a login, but the store said \(error)") }
      throw error
    }
  }

  private func signIn(_ options: SignInOptions) async throws(StoreError) -> SignedIn? {
    if !options.forcesLocalMethods, let storeApp = await host.storeApp?.screens() {
      var elsewhere = options
      elsewhere.isAnsweredElsewhere = true
      do {
        return try await store.signIn(storeApp, options: elsewhere)
      } catch {
        // It could not be opened after all.
        guard error == .presentationFailed else { throw error }
      }
    }
    let reminder = ScreenReminder(openedAt: dependencies.now())
    self.reminder = reminder
    return try await store.signIn(reminder.screens(dependencies.screens), options: options)
  }

  /// Ends a login attempt. The storefront is set first, then observers are called, then the waiting callers resume
  /// (ACC-4).
  private func ended(_ attempt: Int, result: SignedIn?, failure: OnsideFailure?) {
    guard logins.isRunning(attempt) else {
      // The login was cancelled in the moment in which it succeeded.
      if result != nil, signedIn == nil { store.forgetSignIn() }
      revokeForgotten()
      return
    }
    reminder = nil
    if let result { adopt(result) }
    handle(.ended(attempt: attempt, signedIn: result != nil), failure: failure)
  }
}
