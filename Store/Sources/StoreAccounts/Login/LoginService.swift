import Foundation
import OnsideAPI
package import OnsideCommerce
package import StoreBase
package import StoreWeb

/// The steps of a login: codes, proofs, sign-up, completion. Until the person has proved a number or address, logins
/// with and without an account do the same work and get the same answers, so that they do not reveal accounts.
package struct LoginService: Sendable {
  let database: any Database
  let clock: any StoreClock
  let random: any RandomSource
  let codeGenerator: VersionedKey<OneTimeCodeGenerator>
  let limits: CodeLimits
  let metrics: CodeMetrics
  package let sessions: AccountSessions
  /// Wakes the task that sends messages.
  let messageIsWaiting: @Sendable () -> Void

  package init(
    _ dependencies: BaseDependencies, limits: CodeLimits, metrics: CodeMetrics,
    codeGenerator: VersionedKey<OneTimeCodeGenerator>, messages: MessageOutbox, sessions: AccountSessions
  ) {
    self.sessions = sessions
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
    self.codeGenerator = codeGenerator
    self.limits = limits
    self.metrics = metrics
    messageIsWaiting = { messages.messageIsWaiting() }
  }

  /// The outcome of a request for a code.
  package enum SendOutcome: Sendable, Equatable {
    case sent
    /// Nothing was sent, because this form was sent before and its code is on the way.
    case repeated
    /// Nothing was sent.
    case limited(CodeLimitReached)
  }

  /// The state of a login after a right or wrong answer.
  package enum Step: Sendable, Equatable {
    case code(CodeOutcome)
    case region
    /// The phone number opens several accounts: the person chooses one.
    case choice
    case done(LoginCompletion)
    /// The account has one more way to log in.
    case added
    /// The proved identity belongs to another account: nothing has changed.
    case taken
    /// Another answer has ended it.
    case over
    /// The browser's session ended meanwhile, or is another account's: nothing has changed.
    case loggedOut
  }

  package func begin(
    _ purpose: LoginAttempt.Purpose, browser: String, language: Language, theme: Theme = .auto,
    countryHint: CountryCode? = nil, isProof: Bool = false, isLocal: Bool = false
  ) async throws -> LoginAttempt {
    let now = clock.now()
    let attempt = LoginAttempt(
      id: random.token(), browser: browser, purpose: purpose, language: language, theme: theme,
      countryHint: countryHint, isProof: isProof, isLocal: isLocal, expiresAt: now + LoginAttempt.lifetime)
    try await database.write(at: now) { transaction in
      try LoginRecords.purge(in: transaction)
      try LoginRecords.insert(attempt, in: transaction)
    }
    return attempt
  }

  /// The login with this id, if it is not over and belongs to this browser.
  package func attempt(_ id: String, browser: String?) async throws -> LoginAttempt {
    guard let attempt = try await database.read({ try LoginRecords.attempt(id: id, in: $0) }) else {
      throw PageProblem.gone
    }
    guard attempt.browser == browser else { throw PageProblem.otherBrowser }
    guard !attempt.isFinished, attempt.expiresAt > clock.now() else { throw PageProblem.gone }
    return attempt
  }

  /// Queues a code for a number or address, unless a limit is reached. A form that is submitted twice sends one code.
  package func sendCode(
    _ attempt: LoginAttempt, to contact: Contact, source: CodeSource, isResend: Bool = false
  ) async throws -> SendOutcome {
    let now = clock.now()
    let code = CodeRecords.NewCode(
      id: random.uuid7(at: now).lowercase, attemptID: attempt.id, contact: contact, source: source,
      language: attempt.language)
    let limits = limits
    let outcome = try await database.write(at: now) { transaction in
      try CodeRecords.purge(in: transaction)
      var code = code
      let isRecognized = try RecognizedBrowserRecords.contains(source.device, for: contact, in: transaction)
      code.isRecognized = isRecognized
      if !isResend, attempt.contact == contact,
        try limits.resendWait(contact: contact, isRecognized: isRecognized, in: transaction) != nil
      {
        return SendOutcome.repeated
      }
      let limit = try limits.reached(contact: contact, source: source, isRecognized: isRecognized, in: transaction)
      if let limit { return .limited(limit) }
      try CodeRecords.insert(code, in: transaction)
      try LoginRecords.setContact(of: attempt.id, contact, in: transaction)
      return .sent
    }
    metrics.count(outcome)
    messageIsWaiting()
    return outcome
  }

  /// Seconds until the login's contact may get a new code; nil when it may now.
  func resendWait(_ attempt: LoginAttempt) async throws -> Int? {
    guard let contact = attempt.contact else { return nil }
    let (limits, now) = (limits, clock.now())
    let wait = try await database.read(at: now) { transaction in
      let isRecognized = try RecognizedBrowserRecords.contains(attempt.browser, for: contact, in: transaction)
      return try limits.resendWait(contact: contact, isRecognized: isRecognized, in: transaction)
    }
    return wait.map { max(1, Int($0.rounded(.up))) }
  }

  /// Checks a typed code.
  package func enter(
    _ typed: String, for attempt: LoginAttempt, in browser: LoginBrowser = LoginBrowser()
  ) async throws -> Step {
    let (codeGenerator, limits, now, keys) = (
      codeGenerator, limits, clock.now(), CompletionKeys(random, browser: browser)
    )
    let (outcome, step) = try await database.write(at: now) { transaction in
      let counted = try CodeRecords.check(
        attempt: attempt.id, contact: attempt.contact?.text ?? "", typed: typed, codeGenerator: codeGenerator,
        limits: limits, in: transaction)
      let outcome = counted.outcome
      if counted.failures == limits.failures {
        try AccountNotice.queueWrongCodes(for: attempt, in: transaction)
      }
      guard outcome == .right, let contact = attempt.contact else { return (outcome, Step.code(outcome)) }
      let proved = ProvedIdentity(identity: .contact(contact), label: nil, provedAt: now)
      return (outcome, try Self.take(proved, attempt: attempt, keys: keys, in: transaction))
    }
    metrics.count(outcome)
    try await applyEnd(of: step, attempt: attempt)
    return step
  }

  /// Accepts an identity that an external issuer or a wallet has proved. The proof may be older than this login:
  /// ``ProvedIdentity/provedAt`` is the time of the proof.
  func prove(
    _ proved: ProvedIdentity, for attempt: LoginAttempt, in browser: LoginBrowser = LoginBrowser()
  ) async throws -> Step {
    let (now, keys) = (clock.now(), CompletionKeys(random, browser: browser))
    let step = try await database.write(at: now) { transaction in
      try LoginRecords.setProved(of: attempt.id, proved, in: transaction)
      return try Self.take(proved, attempt: attempt, keys: keys, in: transaction)
    }
    try await applyEnd(of: step, attempt: attempt)
    return step
  }

  /// Applies the end of the account's other sessions, after a login method was added.
  private func applyEnd(of step: Step, attempt: LoginAttempt) async throws {
    if case .add(let account) = attempt.purpose, step == .added { try await sessions.apply(account) }
  }

  private static func take(
    _ proved: ProvedIdentity, attempt: LoginAttempt, keys: CompletionKeys, in transaction: StoreTransaction
  ) throws -> Step {
    if case .add(let account) = attempt.purpose {
      return try add(proved, to: account, attempt: attempt, browser: keys.browser, in: transaction)
    }
    let accounts = try AccountRecords.accounts(identity: proved.identity, in: transaction)
    guard accounts.count == 1, let account = accounts.first else {
      // The attempt was read before the form arrived: another form may have changed the identity meanwhile.
      guard
        try LoginRecords.setVerified(
          attempt.id, identity: proved.identity, at: min(proved.provedAt, transaction.now), in: transaction)
      else {
        return .code(.spent)
      }
      return accounts.isEmpty ? .region : .choice
    }
    return try complete(attempt, account: account.id, keys: keys, provedAt: proved.provedAt, in: transaction)
  }

  /// Adds a proved identity to an account. The browser's login has proved the account, and the identity was proved just
  /// now. An identity of another account is not moved. The account's other sessions end.
  private static func add(
    _ proved: ProvedIdentity, to id: AccountID, attempt: LoginAttempt, browser: LoginBrowser,
    in transaction: StoreTransaction
  ) throws -> Step {
    guard let token = browser.session, let session = try WebSessionRecords.session(token, in: transaction),
      session.account.id == id
    else { return .loggedOut }
    guard try LoginRecords.finish(attempt.id, in: transaction) else { return .over }
    let owners = try AccountRecords.accounts(identity: proved.identity, in: transaction)
    if owners.isEmpty, try AccountRecords.addIdentity(proved, to: id, in: transaction) {
      try AccountSessionRecords.endAll(of: id, but: browser.session, in: transaction)
      try AccountNotice.queue(
        .loginAdded, about: proved, to: session.account, language: attempt.language, event: attempt.id,
        in: transaction)
      return .added
    }
    return owners.map(\.id) == [id] ? .added : .taken
  }

  /// Creates the account of a proved identity in a region, and ends the login.
  func signUp(
    _ attempt: LoginAttempt, country: CountryCode, in browser: LoginBrowser = LoginBrowser()
  ) async throws -> Step {
    guard attempt.isVerified, let identity = attempt.identity else { return .code(.spent) }
    let (now, keys) = (clock.now(), CompletionKeys(random, browser: browser))
    let id = AccountID(random.uuid7(at: now))
    return try await database.write(at: now) { transaction in
      let current = try LoginRecords.attempt(id: attempt.id, in: transaction)
      guard let provedAt = current?.verifiedAt, current?.identity == identity else { return .code(.spent) }
      let proved = ProvedIdentity(identity: identity, label: current?.label, provedAt: provedAt)
      let account = try AccountRecords.insert(id: id, proved: proved, country: country, in: transaction)
      guard let account else { return .over }
      return try Self.complete(attempt, account: account.id, keys: keys, provedAt: provedAt, in: transaction)
    }
  }

  /// Ends the login with the account that the browser is logged in to. This is no new proof: the new session keeps the
  /// proof time of the old one. The old session is used up, so that the second of two simultaneous requests is refused.
  func proceed(_ attempt: LoginAttempt, as account: AccountID, in browser: LoginBrowser) async throws -> Step {
    let (now, keys) = (clock.now(), CompletionKeys(random, browser: browser))
    return try await database.write(at: now) { transaction in
      guard let token = browser.session, let session = try WebSessionRecords.session(token, in: transaction),
        session.account.id == account
      else { return .loggedOut }
      return try Self.complete(attempt, account: account, keys: keys, provedAt: session.createdAt, in: transaction)
    }
  }

  /// Ends the login without an account; false when it had ended already.
  func cancel(_ attempt: LoginAttempt) async throws -> Bool {
    return try await database.write(at: clock.now()) { try LoginRecords.finish(attempt.id, in: $0) }
  }

  static func complete(
    _ attempt: LoginAttempt, account: AccountID, keys: CompletionKeys, provedAt: Date, in transaction: StoreTransaction
  ) throws -> Step {
    // A login that adds an identity to an account begins no session.
    if case .add = attempt.purpose { return .over }
    guard try LoginRecords.finish(attempt.id, in: transaction) else { return .over }
    try RecognizedBrowserRecords.record(attempt.browser, of: account, language: attempt.language, in: transaction)
    try WebSessionRecords.insert(
      keys.webSession, account: account, provedAt: provedAt, browser: keys.browser, in: transaction)
    let answer = try answer(attempt.purpose, account: account, keys: keys, in: transaction)
    return .done(LoginCompletion(webSession: keys.webSession, answer: answer))
  }

  private static func answer(
    _ purpose: LoginAttempt.Purpose, account: AccountID, keys: CompletionKeys, in transaction: StoreTransaction
  ) throws -> LoginCompletion.Answer {
    switch purpose {
    case .app(let request):
      try AuthorizationCodeRecords.insert(
        keys.code, request: request, account: account, device: keys.browser.device, in: transaction)
      return .code(keys.code, request)
    case .web(let next): return .page(next)
    case .add: return .page(LocalPath.home.text)
    }
  }
}

/// The result of a completed login.
package struct LoginCompletion: Sendable, Equatable {
  package enum Answer: Sendable, Equatable {
    case page(String)
    case code(String, AuthorizationRequest)
  }

  /// The new value of the browser's login cookie. Each login makes a new value, against session fixation.
  package var webSession: String
  package var answer: Answer
}

/// The random tokens of a completed login, and the browser that gets them.
struct CompletionKeys: Sendable {
  let code: String
  let webSession: String
  let browser: LoginBrowser

  init(_ random: any RandomSource, browser: LoginBrowser) {
    code = random.token(bytes: 32)
    webSession = random.token(bytes: 32)
    self.browser = browser
  }
}
