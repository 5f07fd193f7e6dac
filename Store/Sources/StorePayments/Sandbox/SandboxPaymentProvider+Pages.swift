import OnsideCommerce
import StoreWeb

/// The sandbox's part of the pages: its test cards, and its bank.
extension SandboxPaymentProvider {
  /// Cards that are seldom wanted.
  private static let seldom: Set<SandboxCard> = [
    .neverSettles, .lateCallback, .callbackTwice, .refundedLater, .disputeWon, .disputeLost,
  ]

  package func choices(_ context: ProviderPageContext) -> PaymentMethodChoices {
    let choices = SandboxCard.allCases.map { card in
      PaymentMethodChoice(
        value: card.rawValue, label: label(of: card.details, context), isSeldom: Self.seldom.contains(card),
        method: card.rawValue)
    }
    return PaymentMethodChoices(
      choices: choices, legend: context.texts[.methodsAddLegend], seldomLabel: context.texts[.payMore])
  }

  package func label(of method: PaymentMethodDetails, _ context: ProviderPageContext) -> PaymentMethodLabel {
    let card = SandboxCard(rawValue: method.reference)
    let method = card?.details ?? method
    let note = context.texts(.cardNote, ["brand": method.brand, "digits": method.lastFour ?? ""])
    let name = card.map { context.texts[$0.nameKey] }
    return PaymentMethodLabel(name: name ?? method.brand, note: note)
  }

  package func checkoutPart(_ context: ProviderPageContext) async throws -> ProviderPagePart? { nil }

  package func actionPage(_ request: ActionPageRequest) async throws -> ProviderPage {
    .page(SecondStepPage(payee: request.payee, price: request.priceText, action: request.action))
  }

  /// Never asked for: every card is saved at once.
  package func setupPage(_ request: SetupPageRequest) async throws -> ProviderPage {
    throw PaymentError.notFound
  }
}

extension SandboxCard {
  /// What the store keeps of a saved test card.
  package var details: PaymentMethodDetails {
    PaymentMethodDetails(reference: rawValue, brand: brand, lastFour: lastFour)
  }

  /// The text that names the card by its behaviour.
  fileprivate var nameKey: TextKey {
    switch self {
    case .succeeds: .cardSucceeds
    case .declined: .cardDeclined
    case .secondStep: .cardSecondStep
    case .settlesLater: .cardSettlesLater
    case .neverSettles: .cardNeverSettles
    case .lateCallback: .cardLateCallback
    case .callbackTwice: .cardCallbackTwice
    case .refundedLater: .cardRefundedLater
    case .disputeWon: .cardDisputeWon
    case .disputeLost: .cardDisputeLost
    }
  }
}
