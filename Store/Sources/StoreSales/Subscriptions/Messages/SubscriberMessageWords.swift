import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreWeb

/// A message about a subscription in words: a mail with what it is about line by line, or a short text for phones.
struct SubscriberMessageWords {
  let facts: SubscriberMessageFacts
  let store: String
  /// The seller's name and address.
  let seller: String
  let app: String
  /// The address of the page on which the subscription is changed, paid and stopped.
  let link: String

  private var texts: Texts { Texts(facts.language) }
  private var message: SubscriberMessage { facts.message }

  /// The message for a mailbox or a phone.
  func message(to contact: Contact) -> OutgoingMessage {
    OutgoingMessage(
      id: "subscription-\(message.id)", to: contact, code: "", subject: plain(subject),
      text: contact.isEmail ? mail : short)
  }

  private var subject: String {
    let key: TextKey =
      switch message.notice.kind {
      case .unpaid: .noticeUnpaidSubject
      case .offerEnds: .noticeOfferSubject
      case .renewal: .noticeRenewalSubject
      case .price: .noticePriceSubject
      case .question: .noticeQuestionSubject
      case .reminder: .noticeReminderSubject
      }
    return texts(key, words)
  }

  /// What happens, in a sentence or two.
  private var lead: String {
    switch message.notice.kind {
    case .unpaid:
      let access = facts.entitledUntil.map { texts(.noticeUntil, ["date": day($0)]) } ?? texts[.noticeOver]
      return "\(texts(refusalKey, words)) \(access)"
    case .offerEnds: return texts(facts.period.price.isZero ? .noticeTrialText : .noticeOfferText, words)
    case .renewal: return texts(.noticeRenewalText, words)
    case .price: return texts(.noticePriceText, words)
    case .question, .reminder:
      return texts(facts.keepsPriceWithoutConsent ? .noticeQuestionOptionalText : .noticeQuestionText, words)
    }
  }

  private var refusalKey: TextKey {
    switch facts.refusal {
    case .refused: .noticeRefused
    case .asksBuyer: .noticeAskBuyer
    case .noMethod: .noticeNoMethod
    }
  }

  /// What can be done on the page that follows.
  private var invitation: String {
    switch message.notice.kind {
    case .unpaid: texts[.noticePay]
    case .question, .reminder: texts[.noticeAnswer]
    case .offerEnds, .renewal, .price: texts[.noticeStop]
    }
  }

  private var words: [String: String] {
    let isRecurring = message.notice.kind != .unpaid && message.notice.kind != .renewal
    return [
      "product": facts.product.title.isolated, "app": app.isolated,
      "price": isRecurring ? recurring(message.price) : amount(message.price), "date": day(facts.date),
      "old": message.oldPrice.map { amount($0) } ?? "",
    ]
  }

  private func day(_ date: Date) -> String { texts.day(date, in: facts.country).isolated }

  private func amount(_ money: Money) -> String {
    money.formatted(country: facts.country, language: facts.language.rawValue).isolated
  }

  private func recurring(_ money: Money) -> String {
    facts.product.subscriptionPeriod.map { "\(amount(money)) \(texts.rhythm($0))" } ?? amount(money)
  }

  private var mail: String {
    let lines = [
      (texts[.receiptProduct], "\(facts.product.title.isolated) (\(app.isolated))"),
      (texts[.planPrice], message.notice.kind == .renewal ? amount(message.price) : recurring(message.price)),
      (texts[.planPaidUntil], day(facts.period.end)),
      (texts[.receiptSeller], seller),
    ]
    let table = lines.map { "\($0): \($1)" }.joined(separator: "\n")
    return plain("\(lead)\n\n\(table)\n\n\(invitation)\n\(link)")
  }

  /// Without characters for which a gateway would need twice as many messages.
  private var short: String {
    let spaces: Set<Character> = ["\u{00A0}", "\u{202F}"]
    return String(plain("\(store): \(lead) \(link)").map { spaces.contains($0) ? " " : $0 })
  }

  /// Languages that are written from left to right need no marks around what is put in.
  private func plain(_ text: String) -> String {
    guard facts.language != .arabic else { return text }
    return String(text.filter { $0 != "\u{2068}" && $0 != "\u{2069}" })
  }
}
