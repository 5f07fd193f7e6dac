import OnsideStore
import StorePayments

/// Doctor's checks of the payment providers: whether the store could be paid now. No money moves.
struct PaymentChecks {
  let configuration: ServeConfiguration

  func findings() async -> [Finding] {
    await PaymentProviderCheck.all(configuration.store).map { check in
      guard let remedy = check.remedy else { return .good(check.subject, check.text) }
      return .bad(check.subject, check.text, remedy: remedy)
    }
  }
}
