/// A name that Stripe may add to: a status, a type, a reason. A name that is not known here is kept as it came.
protocol StripeNamed: RawRepresentable, Decodable, Sendable, Hashable, CustomStringConvertible
where RawValue == String {
  init(rawValue: String)
}

extension StripeNamed {
  init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
  }

  var description: String { rawValue }
}
