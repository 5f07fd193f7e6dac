import Foundation
import OnsideAPI
import OnsideCommerce

extension Texts {
  /// What a test card does.
  func name(_ card: SandboxCard) -> String {
    switch card {
    case .succeeds: self[.cardSucceeds]
    case .declined: self[.cardDeclined]
    case .secondStep: self[.cardSecondStep]
    case .settlesLater: self[.cardSettlesLater]
    case .neverSettles: self[.cardNeverSettles]
    case .lateCallback: self[.cardLateCallback]
    case .callbackTwice: self[.cardCallbackTwice]
    case .refundedLater: self[.cardRefundedLater]
    }
  }

  /// `Visa, ends in 4242`.
  func note(_ card: SandboxCard) -> String {
    self(.cardNote, ["brand": card.brand, "digits": card.lastFour])
  }

  func name(_ country: CountryCode) -> String { country.localizedName(language: language.rawValue) }

  func kind(_ kind: ProductKind) -> String {
    switch kind {
    case .consumable: self[.kindConsumable]
    case .nonRenewingSubscription: self[.kindNonRenewing]
    case .autoRenewableSubscription: self[.kindSubscription]
    default: self[.kindNonConsumable]
    }
  }

  /// `1 week free, then € 9,99`.
  func describe(_ offer: OfferMessage, then price: PriceMessage) -> String {
    let key: TextKey =
      switch offer.mode {
      case .freeTrial: .offerFree
      case .payUpFront: .offerOnce
      default: .offerEach
      }
    let duration = length(offer.period, times: offer.periodCount)
    return self(
      key, ["duration": duration, "offer": offer.price.formatted.isolated, "price": price.formatted.isolated])
  }

  /// A day as people of the language write it, in UTC.
  func day(_ date: Date) -> String {
    date.formatted(
      Date.FormatStyle(
        date: .abbreviated, time: .omitted, locale: Locale(identifier: language.rawValue), timeZone: .gmt))
  }

  /// Why an order can no longer be paid.
  func describe(_ reason: CancelReason?) -> String {
    switch reason {
    case .expired?: self[.closedExpired]
    case .storefrontChanged?: self[.closedRegion]
    default: self[.closedCancelled]
    }
  }
}
