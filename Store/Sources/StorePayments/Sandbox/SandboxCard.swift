/// The sandbox's test cards. Each is a name, never a number that is typed; the last four digits shown are those of the
/// well-known test card of that behaviour.
public enum SandboxCard: String, Sendable, Codable, CaseIterable {
  /// Pays at once.
  case succeeds
  /// Is refused.
  case declined
  /// Asks for a second step, such as a bank's page.
  case secondStep = "second_step"
  /// Is accepted, and the money comes some seconds later.
  case settlesLater = "settles_later"
  /// Is accepted, and the money never comes.
  case neverSettles = "never_settles"
  /// Pays at once, but the provider tells the store only much later.
  case lateCallback = "late_callback"
  /// Pays at once, and the provider tells the store twice.
  case callbackTwice = "callback_twice"
  /// Pays at once, and the provider gives the money back some seconds later.
  case refundedLater = "refunded_later"
  /// Pays at once; some seconds later the buyer's bank takes the money for a dispute, and then the store wins it.
  case disputeWon = "dispute_won"
  /// The same, and the store loses it.
  case disputeLost = "dispute_lost"

  /// The card's brand, as a page shows it.
  public var brand: String {
    switch self {
    case .succeeds, .declined, .secondStep, .lateCallback, .disputeWon, .disputeLost: "Visa"
    case .settlesLater, .neverSettles, .callbackTwice, .refundedLater: "Mastercard"
    }
  }

  /// The last four digits, as a page shows them.
  public var lastFour: String {
    switch self {
    case .succeeds: "4242"
    case .declined: "0002"
    case .secondStep: "3155"
    case .settlesLater: "4444"
    case .neverSettles: "5100"
    case .lateCallback: "1881"
    case .callbackTwice: "8210"
    case .refundedLater: "7726"
    case .disputeWon: "2685"
    case .disputeLost: "0259"
    }
  }
}
