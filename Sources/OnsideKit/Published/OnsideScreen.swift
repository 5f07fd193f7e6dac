/// Light, dark, or as the system has it (contract, section 1.2).
public enum OnsideUIThemeMode: String, Sendable, Hashable, Codable {
  /// As the system has it.
  case auto
  /// Light.
  case light
  /// Dark.
  case dark
}

/// A screen that the SDK shows.
public struct OnsideScreen: RawRepresentable, Sendable, Hashable {
  /// The screen's name.
  public let rawValue: String

  /// Makes a screen from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Login: phone number, code, region.
  public static let login = OnsideScreen(rawValue: "login")
  /// Payment of one order.
  public static let payment = OnsideScreen(rawValue: "payment")
  /// The account's payment methods.
  public static let paymentMethods = OnsideScreen(rawValue: "paymentMethods")
}
