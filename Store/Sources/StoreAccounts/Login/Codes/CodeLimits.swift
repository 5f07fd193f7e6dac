public import Foundation

/// The origin of a request for a code: browser and network.
package struct CodeSource: Sendable {
  /// The browser, by the hash of its cookie.
  var device: String
  /// The network, by the beginning of its address.
  package var network: String

  package init(device: String, network: String) {
    (self.device, self.network) = (device, network)
  }
}

/// Rate limits for one-time codes: how many are sent and tried, at most. Each send costs money and annoys a receiver
/// who has not asked for it. So there is a limit for each number, each browser, each network, each range of numbers,
/// and for all together. The limits for numbers hold for e-mail addresses, too. Each try guesses right with a chance of
/// one in a million, so that one number has few tries.
///
/// Every limit but ``total`` counts the codes of recognized browsers apart from all others: see
/// ``RecognizedBrowserRecords``.
public struct CodeLimits: Sendable, Hashable {
  /// Codes for one number in an hour that were never entered.
  public var perNumber = 5
  /// Codes for one number in a day.
  public var perNumberDaily = 20
  /// Codes asked for by one browser in an hour.
  public var perDevice = 10
  /// Codes asked for from one network in an hour.
  public var perNetwork = 60
  /// Codes for numbers that differ only in their last three digits, in an hour.
  public var perRange = 20
  /// All codes in an hour.
  public var total = 1000
  /// Seconds between a code and the next one for the same number; doubled with each code that was not entered.
  public var resendDelay: TimeInterval = 30
  /// The length of a streak of wrong codes from which the next try is delayed. See ``CodeFailures``.
  public var failures = 10

  /// The most codes of unrecognized browsers in an hour: half of ``total``. The rest is reserved for browsers in which
  /// the number's account has logged in.
  var unrecognized: Int { max(1, total / 2) }
  /// The most codes of unrecognized browsers for the numbers of one country in an hour: half of all such codes.
  var perCountry: Int { max(1, unrecognized / 2) }

  /// The defaults.
  public init() {}

  static let hour: TimeInterval = 3600
  static let day: TimeInterval = 86400
  static let longestWindow = day
}

/// A reached limit: why a code is not sent or not checked now, and for how long.
package struct CodeLimitReached: Sendable, Hashable {
  /// The limits, by their names in the metrics.
  package enum Limit: String, Sendable, CaseIterable {
    case delay, number, numberDaily = "number_daily", range, device, network, unrecognized, country, total, failures
  }

  package let limit: Limit
  let wait: TimeInterval

  /// Whole seconds, as `Retry-After` has them.
  package var seconds: Int { max(1, Int(wait.rounded(.up))) }
}
