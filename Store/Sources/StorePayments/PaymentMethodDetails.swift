package import Foundation
package import StoreBase

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

  package init(reference: String, brand: String, lastFour: String? = nil, label: String? = nil, expires: String? = nil)
  {
    self.reference = reference
    self.brand = brand
    self.lastFour = lastFour
    self.label = label
    self.expires = expires
  }
}

extension PaymentMethodDetails {
  /// Brand and digits, such as `Visa 4242`; the provider's id where no more is known.
  package var name: String {
    let words = [brand, lastFour ?? label ?? ""].filter { !$0.isEmpty }
    return words.isEmpty ? reference : words.joined(separator: " ")
  }
}

/// How a page shows a method.
package struct PaymentMethodLabel: Sendable, Hashable {
  /// What it is called.
  package var name: String
  /// What tells it from others: `Visa, ends in 4242`.
  package var note: String

  package init(name: String, note: String) {
    self.name = name
    self.note = note
  }
}

/// The methods that a provider offers on the store's pages.
package struct PaymentMethodChoices: Sendable, Hashable {
  /// The methods, the first of them first.
  package var choices: [PaymentMethodChoice]
  /// What they are called together, for the list on the page of saved methods.
  package var legend: String
  /// What leads to those that are seldom wanted.
  package var seldomLabel: String

  package init(choices: [PaymentMethodChoice], legend: String, seldomLabel: String) {
    self.choices = choices
    self.legend = legend
    self.seldomLabel = seldomLabel
  }
}

/// A kind of method that a provider offers on the store's pages.
package struct PaymentMethodChoice: Sendable, Hashable {
  /// Its name in forms and in ``ChargeRequest/method``: letters, digits and `_`.
  package var value: String
  /// How pages show it.
  package var label: PaymentMethodLabel
  /// Whether the payment page shows it apart, below the others.
  package var isSeldom = false
  /// Whether it can be saved: also on the page of saved methods.
  package var isSavable = true
  /// The method that is saved, where the provider knows it beforehand: it is then not offered once more to an account
  /// that has it.
  package var method: String?

  package init(
    value: String, label: PaymentMethodLabel, isSeldom: Bool = false, isSavable: Bool = true, method: String? = nil
  ) {
    self.value = value
    self.label = label
    self.isSeldom = isSeldom
    self.isSavable = isSavable
    self.method = method
  }
}

/// A method to be saved, as the store asks a provider for it.
package struct MethodSetupRequest: Sendable {
  /// Made by the store, the same over all repetitions: send it along as metadata and as idempotency key.
  package let id: String
  /// The account that the method belongs to, a UUID in lower case.
  package let account: String
  /// The environment that it belongs to.
  package let environment: StoreEnvironment
  /// The value of a ``PaymentMethodChoice``.
  package let choice: String
  /// What the provider's own fields of the page have sent, by names that begin with `provider_`.
  package let fields: [String: String]
  /// What ``MethodSetupAnswer/needsAction(reference:)`` gave; nil before.
  package let reference: String?

  package init(
    id: String, account: String, environment: StoreEnvironment, choice: String, fields: [String: String],
    reference: String?
  ) {
    self.id = id
    self.account = account
    self.environment = environment
    self.choice = choice
    self.fields = fields
    self.reference = reference
  }
}

/// What became of saving a method.
package enum MethodSetupAnswer: Sendable {
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
package struct MethodSetupEndRequest: Sendable, Codable {
  /// ``MethodSetupRequest/id``.
  package let id: String
  /// The account that the method was to belong to, a UUID in lower case.
  package let account: String
  /// The provider that is asked.
  package let provider: String
  /// The environment that it belongs to.
  package let environment: StoreEnvironment
  /// When it was begun.
  package let begunAt: Date

  package init(id: String, account: String, provider: String, environment: StoreEnvironment, begunAt: Date) {
    self.id = id
    self.account = account
    self.provider = provider
    self.environment = environment
    self.begunAt = begunAt
  }
}

/// A method that was saved at its provider without a payment.
package struct MethodReport: Sendable, Hashable {
  /// ``MethodSetupRequest/id``.
  package let id: String
  /// The account that has saved it, a UUID in lower case.
  package let account: String
  package let details: PaymentMethodDetails

  package init(id: String, account: String, details: PaymentMethodDetails) {
    self.id = id
    self.account = account
    self.details = details
  }
}

/// A saved method that is to be forgotten. It is written into the outbox.
package struct MethodRemovalRequest: Sendable, Codable {
  /// The provider's id of the method.
  package let reference: String
  /// The account that it belonged to, a UUID in lower case.
  package let account: String
  /// The provider that is asked.
  package let provider: String
  /// The environment that it belongs to.
  package let environment: StoreEnvironment

  package init(reference: String, account: String, provider: String, environment: StoreEnvironment) {
    self.reference = reference
    self.account = account
    self.provider = provider
    self.environment = environment
  }
}
