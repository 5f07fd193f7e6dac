/// How a test card behaves. Numbers and behaviours are those of Stripe's documentation on testing; the last four digits
/// tell them apart.
struct TestCard: Sendable {
  /// When the card's bank wants its holder to agree.
  enum Authentication: Sendable {
    case never
    /// Until the holder has agreed once while the card was saved.
    case untilSetUp
    case always
  }

  /// What becomes of a refund.
  enum Refunding: Sendable { case atOnce, later, failsLater }

  let number: String
  var brand = "visa"
  var country = "US"
  /// Why it cannot be saved.
  var saveDecline: Decline?
  /// Why it cannot be charged.
  var chargeDecline: Decline?
  var authentication = Authentication.never
  var refunding = Refunding.atOnce
  /// The reason of the dispute that follows a charge.
  var dispute: String?
  /// Whether that dispute is an inquiry only.
  var isInquiry = false
  var warnsOfFraud = false

  var lastFour: String { String(number.suffix(4)) }

  static func number(_ number: String) -> TestCard? { all[number] }

  /// By the names of ready-made methods: `pm_card_visa`.
  static func named(_ name: String) -> TestCard? { names[name].flatMap { all[$0] } }

  private static let names: [String: String] = [
    "pm_card_visa": "4242424242424242", "pm_card_mastercard": "5555555555554444",
    "pm_card_chargeCustomerFail": "4000000000000341", "pm_card_authenticationRequired": "4000002760003184",
    "pm_card_authenticationRequiredOnSetup": "4000002500003155", "pm_card_createDispute": "4000000000000259",
    "pm_card_createDisputeProductNotReceived": "4000000000002685", "pm_card_createDisputeInquiry": "4000000000001976",
    "pm_card_pendingRefund": "4000000000007726", "pm_card_refundFail": "4000000000005126",
    "pm_card_createEarlyFraudWarning": "4000000000005423",
  ]

  private static func declining(_ number: String, with decline: Decline) -> TestCard {
    TestCard(number: number, saveDecline: decline, chargeDecline: decline)
  }

  private static let all: [String: TestCard] = {
    let cards = [
      TestCard(number: "4242424242424242"), TestCard(number: "5555555555554444", brand: "mastercard"),
      TestCard(number: "378282246310005", brand: "amex"), TestCard(number: "4000002760000016", country: "DE"),
      declining("4000000000000002", with: Decline("generic_decline")),
      declining("4000000000009995", with: Decline("insufficient_funds")),
      declining("4000000000009987", with: Decline("lost_card")),
      declining("4000000000009979", with: Decline("stolen_card")),
      declining("4000000000000069", with: Decline(nil, code: "expired_card")),
      declining("4000000000000127", with: Decline(nil, code: "incorrect_cvc")),
      declining("4000000000000119", with: Decline(nil, code: "processing_error")),
      TestCard(number: "4000000000000341", chargeDecline: Decline("generic_decline")),
      TestCard(number: "4000002500003155", authentication: .untilSetUp),
      TestCard(number: "4000002760003184", authentication: .always),
      TestCard(number: "4000008260003178", chargeDecline: Decline("insufficient_funds"), authentication: .untilSetUp),
      TestCard(number: "4000000000000259", dispute: "fraudulent"),
      TestCard(number: "4000000000002685", dispute: "product_not_received"),
      TestCard(number: "4000000000001976", dispute: "general", isInquiry: true),
      TestCard(number: "4000000000005423", warnsOfFraud: true),
      TestCard(number: "4000000000007726", refunding: .later),
      TestCard(number: "4000000000005126", refunding: .failsLater),
    ]
    return Dictionary(uniqueKeysWithValues: cards.map { ($0.number, $0) })
  }()
}
