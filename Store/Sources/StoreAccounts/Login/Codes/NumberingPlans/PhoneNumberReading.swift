import OnsideCommerce

/// One interpretation of typed digits: a numbering plan, and the number in it without prefixes.
struct PhoneNumberReading {
  let plan: NumberingPlan
  let number: String
  /// True if a national prefix was deleted.
  let hadPrefix: Bool

  var e164: String { "+" + plan.code + number }

  /// True if the plan has such numbers.
  var isValid: Bool { lengthError == nil && plan.contains(number) }

  /// The fault of the number's length; nil if a person can have a number of this length.
  ///
  /// A length between those of the plan is compared with the plan's example.
  var lengthError: PhoneNumberError? {
    if plan.code.count + number.count > 15 { return .tooLong }
    if plan.personalLengths.contains(number.count) { return nil }
    return number.count > plan.example.count ? .tooLong : .tooShort
  }

  /// Reads digits that begin with a country code.
  init(international digits: String) throws(PhoneNumberError) {
    guard let plan = NumberingPlans.plan(ofInternational: digits) else {
      throw digits.isEmpty ? .tooShort : .unknownCountryCode("+" + digits.prefix(3))
    }
    self.init(plan: plan, dialled: String(digits.dropFirst(plan.code.count)))
  }

  private init(plan: NumberingPlan, dialled: String) {
    self.plan = plan
    number = plan.withoutPrefix(dialled)
    hadPrefix = number != dialled
  }

  /// The reading itself if its length is possible. Unassigned numbers pass, because plans grow.
  private func checked() throws(PhoneNumberError) -> PhoneNumberReading {
    if let lengthError { throw lengthError }
    return self
  }
}

extension PhoneNumberReading {
  /// Reads a typed number; a number without `+` may be dialled within or from `region`.
  ///
  /// Without `+` several readings may be possible: in Colombia `0057` is the country code 57, or a carrier's prefix and
  /// the country code 7. Of several valid readings the one in the country of the region counts. If that does not
  /// decide, the error asks for the country code, because a login code must not reach another person.
  static func read(
    _ typed: TypedPhoneNumber, region: CountryCode?
  ) throws(PhoneNumberError) -> PhoneNumberReading {
    let digits = typed.digits
    if typed.hasPlus { return try PhoneNumberReading(international: digits).checked() }
    let home = region.flatMap(NumberingPlans.plan(of:))
    let abroad = readingsAbroad(of: digits, from: home)
    let national = home.map { readings(of: digits, in: $0) } ?? []

    let valid = (abroad + national).filter(\.isValid)
    if !valid.isEmpty { return try decided(valid, home: home) }
    guard digits.hasPrefix("00") else { throw national.first?.lengthError ?? .noCountryCode }
    let possible = abroad.filter { $0.lengthError == nil }
    if !possible.isEmpty { return try decided(possible, home: home) }
    return try PhoneNumberReading(international: String(digits.dropFirst(2))).checked()
  }

  /// The readings behind `00` and behind the region's own prefix of calls abroad.
  private static func readingsAbroad(of digits: String, from home: NumberingPlan?) -> [PhoneNumberReading] {
    let rests = [
      digits.hasPrefix("00") ? String(digits.dropFirst(2)) : nil, home?.internationalPrefix?.prefixMatch(digits)?.rest,
    ]
    let readings = rests.compactMap { $0 }.compactMap { try? PhoneNumberReading(international: $0) }
    // Australia's 0011 is its own prefix, not 00 with the country code 1 and the trunk prefix 1.
    let plain = readings.filter { !$0.hadPrefix }
    return plain.isEmpty ? readings : plain
  }

  /// The readings as a number of the country: by the region's plan, and by that of all regions with its country code;
  /// with and without a country code that lacks its `+`.
  private static func readings(of digits: String, in home: NumberingPlan) -> [PhoneNumberReading] {
    // `00` always means a call abroad.
    if digits.hasPrefix("00") { return [] }
    var readings = [PhoneNumberReading(plan: home, dialled: digits)]
    if let main = NumberingPlans.plan(ofInternational: home.code), main.region != home.region {
      readings.append(PhoneNumberReading(plan: main, dialled: digits))
    }
    if digits.hasPrefix(home.code), let reading = try? PhoneNumberReading(international: digits) {
      readings.append(reading)
    }
    return readings
  }

  /// The one number of the readings, or of those in the home country.
  private static func decided(
    _ readings: [PhoneNumberReading], home: NumberingPlan?
  ) throws(PhoneNumberError) -> PhoneNumberReading {
    let preferred = [readings, readings.filter { $0.plan.code == home?.code }]
    guard let one = preferred.first(where: { Set($0.map(\.e164)).count == 1 })?.first else { throw .noCountryCode }
    return one
  }
}
