/// The theme of the SDK's screens: light, dark, or as the system has it (contract, section 1.2).
///
/// Set it for all screens with ``OnsideAppearance/setThemeMode(_:)``, for one with ``OnsideDelegate``.
public enum OnsideUIThemeMode: String, Sendable, Hashable, Codable {
  /// As the system has it.
  case auto
  /// Light.
  case light
  /// Dark.
  case dark
}

/// A screen that the SDK shows: login, payment, payment methods, subscriptions, code redemption or refund request.
/// Later releases may have further ones.
public struct OnsideScreen: RawRepresentable, Sendable, Hashable {
  /// The screen's name.
  public let rawValue: String

  /// Makes a screen from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The login: phone number, code, region.
  public static let login = OnsideScreen(rawValue: "login")
  /// The payment of one order.
  public static let payment = OnsideScreen(rawValue: "payment")
  /// The account's payment methods.
  public static let paymentMethods = OnsideScreen(rawValue: "paymentMethods")
  /// The account's subscriptions in the app.
  public static let subscriptions = OnsideScreen(rawValue: "subscriptions")
  /// The redemption of an offer's code.
  public static let codeRedemption = OnsideScreen(rawValue: "codeRedemption")
  /// The request for a refund of one purchase.
  public static let refundRequest = OnsideScreen(rawValue: "refundRequest")
}
