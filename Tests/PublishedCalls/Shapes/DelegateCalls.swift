import OnsideKit

/// The delegate and appearance (contract, section 1.2). `UIWindowScene` exists on Apple systems only: see the folder
/// Apple.
final class AppDelegateOfOnside: OnsideDelegate {
  // As the vendor's sample does: the delegate registers itself.
  @MainActor
  init() { Onside.delegate = self }

  func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? {
    switch screen {
    case .login: .dark
    case .payment, .paymentMethods: .auto
    default: nil
    }
  }
  func onsideShouldForceLocalLoginMethods() -> Bool { true }
  func onsideDefaultCountryCodeAssumption() -> String? { "NL" }
}

/// Published requirements carry the main actor themselves; a delegate may repeat it.
final class AnnotatedDelegate: OnsideDelegate {
  @MainActor func onside(uiThemeOverrideForScreen screen: OnsideScreen) -> OnsideUIThemeMode? { nil }
  @MainActor func onsideShouldForceLocalLoginMethods() -> Bool { false }
  @MainActor func onsideDefaultCountryCodeAssumption() -> String? { nil }
}

/// Every member has a default.
@MainActor
final class SmallestDelegate: OnsideDelegate, OnsidePaymentQueueDelegate {}

@MainActor
final class DelegateCalls {
  private let smallest = SmallestDelegate()
  private weak var kept: OnsideDelegate?

  func set() {
    Onside.delegate = smallest
    kept = Onside.delegate
    Onside.delegate = nil
    Onside.defaultPaymentQueue().delegate = smallest
    let _: OnsidePaymentQueueDelegate? = Onside.defaultPaymentQueue().delegate
    Onside.defaultPaymentQueue().delegate = nil
  }
}
