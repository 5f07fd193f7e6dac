import StoreBase

extension StripeError: LoggedDetails {
  var loggedDetails: String { [kind.rawValue, status.map(String.init)].compactMap(\.self).joined(separator: " ") }
}
