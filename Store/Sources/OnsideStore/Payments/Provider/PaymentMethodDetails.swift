import Foundation
import StoreBase

/// A method that a provider can charge again: what the store keeps of it. Never a whole number.
public struct PaymentMethodDetails: Sendable, Hashable {
  /// The provider's id of the method.
  public var reference: String
  /// The brand or the kind, as a page shows it: `Visa`, `SEPA`.
  public var brand: String
  /// The last four digits or letters, where it has some.
  public var lastFour: String?
  /// What a provider calls it, where brand and digits do not say it: the name of a bank, an e-mail address in part.
  public var label: String?
  /// The last month in which it pays, as `2030-12`, where there is one.
  public var expires: String?

  init(reference: String, brand: String, lastFour: String? = nil, label: String? = nil, expires: String? = nil) {
    self.reference = reference
    self.brand = brand
    self.lastFour = lastFour
    self.label = label
    self.expires = expires
  }
}

extension PaymentMethodDetails {
  /// Brand and digits, such as `Visa 4242`; the provider's id where no more is known.
  var name: String {
    let words = [brand, lastFour ?? label ?? ""].filter { !$0.isEmpty }
    return words.isEmpty ? reference : words.joined(separator: " ")
  }
}

/// How a page shows a method.
struct PaymentMethodLabel: Sendable, Hashable {
  /// What it is called.
  var name: String
  /// What tells it from others: `Visa, ends in 4242`.
  var note: String
}

/// The methods that a provider offers on the store's pages.
struct PaymentMethodChoices: Sendable, Hashable {
  /// The methods, the first of them first.
  var choices: [PaymentMethodChoice]
  /// What they are called together, for the list on the page of saved methods.
  var legend: String
  /// What leads to those that are seldom wanted.
  var seldomLabel: String
}

/// A kind of method that a provider offers on the store's pages.
struct PaymentMethodChoice: Sendable, Hashable {
  /// Its name in forms and in ``ChargeRequest/method``: letters, digits and `_`.
  var value: String
  /// How pages show it.
  var label: PaymentMethodLabel
  /// Whether the payment page shows it apart, below the others.
  var isSeldom = false
  /// Whether it can be saved: also on the page of saved methods.
  var isSavable = true
  /// The method that is saved, where the provider knows it beforehand: it is then not offered once more to an account
  /// that has it.
  var method: String?
}

/// A method to be saved, as the store asks a provider for it.
struct MethodSetupRequest: Sendable {
  /// Made by the store, the same over all repetitions: send it along as metadata and as idempotency key.
  let id: String
  /// The account that the method belongs to, a UUID in lower case.
  let account: String
  /// The environment that it belongs to.
  let environment: StoreEnvironment
  /// The value of a ``PaymentMethodChoice``.
  let choice: String
  /// What the provider's own fields of the page have sent, by names that begin with `provider_`.
  let fields: [String: String]
  /// What ``MethodSetupAnswer/needsAction(reference:)`` gave; nil before.
  let reference: String?
}

/// What became of saving a method.
enum MethodSetupAnswer: Sendable {
  /// It is saved at the provider.
  case saved(PaymentMethodDetails)
  /// The buyer has to do something first, on ``PaymentProvider/setupPage(_:)``.
  ///
  /// - Parameter reference: the provider's own id of the setup.
  case needsAction(reference: String)
  /// It cannot be saved.
  case refused
}

/// Saving a method that was begun some time ago, and is to be ended. It is written into the outbox.
struct MethodSetupEndRequest: Sendable, Codable {
  /// ``MethodSetupRequest/id``.
  let id: String
  /// The account that the method was to belong to, a UUID in lower case.
  let account: String
  /// The provider that is asked.
  let provider: String
  /// The environment that it belongs to.
  let environment: StoreEnvironment
  /// When it was begun.
  let begunAt: Date
}

/// A method that was saved at its provider without a payment.
struct MethodReport: Sendable, Hashable {
  /// ``MethodSetupRequest/id``.
  let id: String
  /// The account that has saved it, a UUID in lower case.
  let account: String
  let details: PaymentMethodDetails
}

/// A saved method that is to be forgotten. It is written into the outbox.
struct MethodRemovalRequest: Sendable, Codable {
  /// The provider's id of the method.
  let reference: String
  /// The account that it belonged to, a UUID in lower case.
  let account: String
  /// The provider that is asked.
  let provider: String
  /// The environment that it belongs to.
  let environment: StoreEnvironment
}
