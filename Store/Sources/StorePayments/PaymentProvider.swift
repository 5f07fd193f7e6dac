package import Foundation
package import StoreBase
package import StoreWeb

/// What a store needs of a payment provider: an organisation that moves money.
///
/// A provider is a folder below `Payments/`; nothing of it is named outside, except where the store is assembled
/// (`Assembly/BuiltInProviders.swift`) and configured. `docs/payment-providers.md` says how one is added.
///
/// The store calls a provider from the outbox, so that every call that moves money may be repeated: after a timeout, a
/// restart, or by another process. Each request has an id that stays the same over all repetitions, and
/// ``ChargeRequest/idempotencyKey(_:)`` and its siblings make the key that names it to the provider. A provider that
/// keeps keys for a limited time compares `askedAt` with the clock and looks before it charges again.
///
/// An answer says what the provider has now. What becomes of a charge or refund later comes as a ``ProviderEvent``. The
/// store applies both in the same way, in any order and any number of times.
///
/// A call that throws is repeated later: throw for a timeout, a 429, a 5xx. A refusal is no error, but an answer.
package protocol PaymentProvider: Sendable {
  /// The provider's name in the books, in the path of its events and in the configuration: lower-case letters, digits
  /// and `_`. It never changes.
  var name: String { get }
  /// What the store has to know of it.
  var traits: ProviderTraits { get }

  // MARK: Charges

  /// Charges a method while the buyer waits on the payment page. A charge that needs the buyer answers
  /// ``ChargeState/requiresAction``; the store then shows ``actionPage(_:)``.
  func charge(_ request: ChargeRequest) async throws -> ChargeAnswer
  /// Charges a saved method without the buyer, as renewals do. When the buyer is needed after all, the answer is
  /// ``ChargeState/requiresAction`` and the charge stays: the store sends the buyer to ``actionPage(_:)`` of the same
  /// charge, days later perhaps, and then calls ``confirm(_:)``.
  func chargeOffSession(_ request: ChargeRequest) async throws -> ChargeAnswer
  /// The charges of a subscription's period that an account has been asked for, by any copy of the store's database,
  /// whatever their state. Asked before each ``chargeOffSession(_:)`` of a period. From a list without delay, never
  /// from a search index.
  func charges(of period: ChargedPeriod, account: String) async throws -> [FoundCharge]
  /// Goes on with a charge whose action the buyer has done, or has come back from. The answer is
  /// ``ChargeState/requiresAction`` again when it is not done yet.
  func confirm(_ request: ChargeRequest) async throws -> ChargeAnswer
  /// What became of a charge; nil when the provider has never heard of it. Never from a list that may lag behind.
  func status(of request: ChargeRequest) async throws -> ProviderCharge?
  /// Ends a charge that nobody waits for any more, so that a page that is still open cannot pay it. A request without
  /// ``ChargeRequest/reference`` is of a charge whose answer was lost: it is looked up by its id.
  ///
  /// - Returns: what has become of it: ``ChargeState/cancelled``, or what it came to meanwhile. A provider that cannot
  ///   end it says how it stands. Nil when the provider has never heard of it.
  func cancel(_ request: ChargeRequest) async throws -> ProviderCharge?

  // MARK: Refunds

  /// Gives back a part or the whole of a charge.
  func refund(_ request: RefundRequest) async throws -> RefundAnswer

  // MARK: Methods

  /// Begins to save a method of an account without a charge.
  func beginSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer
  /// What became of saving a method, after the buyer has done what ``setupPage(_:)`` asks for.
  func finishSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer
  /// Ends saving a method that nobody waits for any more, so that a page that is still open saves nothing. A setup
  /// whose beginning the store has not heard of is looked up by its id. Not called without
  /// ``ProviderTraits/keepsMethods``.
  ///
  /// - Returns: the method, when it was saved before; nil otherwise.
  func endSaving(_ request: MethodSetupEndRequest) async throws -> PaymentMethodDetails?
  /// Forgets a saved method, so that it can be charged no more. Not called without ``ProviderTraits/keepsMethods``.
  func remove(_ request: MethodRemovalRequest) async throws

  // MARK: Events

  /// Verifies and parses what came to the provider's address, without waiting: the raw body and the header fields as
  /// they came. Throws ``PaymentError/invalidSignature`` unless the provider has sent it, and
  /// ``PaymentError/invalidEvent(_:)`` for what cannot be parsed. A body may tell of several objects, or of none.
  func read(_ delivery: ProviderDelivery) throws -> [ProviderNotice]
  /// The events of a notice that has to be looked up (``ProviderNotice/Content/lookUp(_:)``): fetches the object, whose
  /// state decides, instead of trusting the order in which notices arrive. Empty for what the store need not know, such
  /// as an object of another system.
  func events(of notice: ProviderNotice) async throws -> [ProviderEvent]
  /// A part of what happened since a time, the oldest first: also what was delivered, and what was lost on its way.
  ///
  /// - Parameter cursor: that of the part before; nil for the first.
  func notices(since start: Date, after cursor: String?) async throws -> ProviderNoticePage

  // MARK: Pages

  /// The methods that the payment page and the page of saved methods offer beside those that are saved.
  func choices(_ context: ProviderPageContext) -> PaymentMethodChoices
  /// How a saved method is shown: what it is called, and a note such as `Visa, ends in 4242`.
  func label(of method: PaymentMethodDetails, _ context: ProviderPageContext) -> PaymentMethodLabel
  /// The provider's own part of the payment page; nil when its choices are enough.
  func checkoutPart(_ context: ProviderPageContext) async throws -> ProviderPagePart?
  /// The page that asks the buyer for what a charge needs.
  func actionPage(_ request: ActionPageRequest) async throws -> ProviderPage
  /// The page that asks for what saving a method needs.
  func setupPage(_ request: SetupPageRequest) async throws -> ProviderPage
}

/// What a store has to know of a provider before it calls it.
package struct ProviderTraits: Sendable {
  /// The environment that its keys and its events belong to.
  package let environment: StoreEnvironment
  /// The most bytes of the body of an event.
  package var largestEvent = 64 * 1024
  /// Whether it has to be told that a saved method was removed.
  package var keepsMethods = true
  /// The templates of its own pages, all of which are read when the store starts.
  package var pages: [any Page.Type] = []
  /// The templates of its parts of the store's pages.
  package var parts: [any PageFields.Type] = []
  /// The scripts of its own that its pages refer to. The store serves them.
  package var scripts: [ProviderScript] = []
  /// Work of its own that waits in the outbox, by kind. A kind begins with the provider's name and a full stop.
  package var queues: [String: @Sendable (_ payload: String) async throws -> Void] = [:]
  /// Called in the write that removes an account, before the account's rows are gone: writes down in the outbox what
  /// the provider is to forget beside the account's methods.
  package var forget: @Sendable (_ account: String, _ transaction: StoreTransaction) throws -> Void = { _, _ in }

  package init(
    environment: StoreEnvironment, largestEvent: Int = 64 * 1024, keepsMethods: Bool = true,
    pages: [any Page.Type] = [], parts: [any PageFields.Type] = [], scripts: [ProviderScript] = [],
    queues: [String: @Sendable (_ payload: String) async throws -> Void] = [:],
    forget: @escaping @Sendable (_ account: String, _ transaction: StoreTransaction) throws -> Void = { _, _ in }
  ) {
    self.environment = environment
    self.largestEvent = largestEvent
    self.keepsMethods = keepsMethods
    self.pages = pages
    self.parts = parts
    self.scripts = scripts
    self.queues = queues
    self.forget = forget
  }
}
