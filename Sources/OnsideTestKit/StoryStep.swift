public import Foundation

/// A recorded event of a transaction, or around it.
public struct StoryStep: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, CaseIterable, Sendable {
    // The app.
    /// The app has added the payment.
    case added = "added to the queue"
    /// The payment is on the device's disk.
    case stored = "on disk"
    /// Observers were given the transaction.
    case delivered = "given to the app"
    /// The app has finished the transaction, and that is on disk; or another device has.
    case finished = "finished"
    /// The app was told that the purchase was taken back.
    case revoked = "app told of the refund"
    // The store.
    /// The store has made the order.
    case ordered = "ordered"
    /// The payment screen is open.
    case screen = "payment screen"
    /// The payment waits for an approval, or for an issue to be resolved.
    case waiting = "waits"
    /// Paid.
    case paid = "paid"
    /// The store has renewed the subscription.
    case renewed = "renewed"
    /// The order is given up.
    case cancelled = "order cancelled"
    /// The store knows that the app has finished it.
    case told = "store told of the finish"
    /// The purchase was taken back.
    case refunded = "refunded"
    /// A renewal failed, and the account keeps what it has for a while.
    case graceBegan = "grace period begins"
    /// A renewal failed, and the account has lost what it had; the payment is tried again for a while.
    case retryBegan = "billing retry begins"
    /// The account is asked whether it accepts a higher price.
    case priceAsked = "asked for a higher price"
    /// A part of the price went back, because a higher plan has taken its place.
    case givenBack = "given back in part"
    /// A pause of the subscription began.
    case paused = "pause begins"
    /// The subscription is over.
    case expired = "subscription expired"
    // Around it.
    /// What the person did.
    case person = "the person"
    /// A fault that the test asked for.
    case fault = "fault"
    /// The app was launched.
    case launched = "app launched"
    /// The app has crashed, or the device lost power.
    case crashed = "app crashed"
    /// The clock was moved.
    case time = "clock"
    /// A warning or an error in the log.
    case log = "log"
  }

  /// When, by the session's clock.
  public let date: Date
  /// The device's name; nil for the store, the person and the clock.
  public let device: String?
  /// What happened.
  public let kind: Kind
  /// More about it.
  public let detail: String
}

extension StoryStep: CustomStringConvertible {
  /// A line: time, where, what.
  public var description: String {
    let time = Self.text(of: date)
    let place = (device ?? "").padding(toLength: max(8, device?.count ?? 0), withPad: " ", startingAt: 0)
    return "\(time)  \(place)  \(kind.rawValue)" + (detail.isEmpty ? "" : ": \(detail)")
  }

  /// A moment, in UTC: `2027-01-15 08:00:00`.
  static func text(of date: Date) -> String { date.formatted(format) }

  private static let format = Date.VerbatimFormatStyle(
    format:
      "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
    timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
}

extension StoryStep.Kind {
  /// The state of a transaction after the step; the same as before when nil.
  func leads(from state: TestTransaction.State?) -> TestTransaction.State? {
    switch self {
    case .waiting: .waiting
    case .paid, .renewed: .paid
    case .told: state == .refunded ? nil : .finished
    case .refunded: .refunded
    case .cancelled: .failed
    default: nil
    }
  }
}
