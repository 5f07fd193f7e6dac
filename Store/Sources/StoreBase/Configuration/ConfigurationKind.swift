package import Foundation

/// How the values of some keys are read, and written in the file's notation.
package struct ConfigurationKind<Value>: Sendable {
  /// What is expected, for messages and the manual.
  let expected: String
  /// True when a value that was refused is not shown: it is, or may hold, a secret.
  let isSecret: Bool
  let parse: @Sendable (ConfigurationValue) -> Value?
  /// Nil for a value that the file cannot say: the key is left out.
  let literal: @Sendable (Value) -> String?

  package init(
    expected: String, isSecret: Bool = false, parse: @escaping @Sendable (ConfigurationValue) -> Value?,
    literal: @escaping @Sendable (Value) -> String?
  ) {
    self.expected = expected
    self.isSecret = isSecret
    self.parse = parse
    self.literal = literal
  }
}

extension ConfigurationKind where Value: FixedWidthInteger & Sendable {
  package static func wholeNumber(_ range: ClosedRange<Value>) -> Self {
    Self(
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      parse: { $0.integer.flatMap { Value(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil } },
      literal: { "\($0)" })
  }
}

extension ConfigurationKind {
  package static func seconds(_ range: ClosedRange<Int>) -> Self where Value == Duration {
    let number = ConfigurationKind<Int>.wholeNumber(range)
    return Self(
      expected: number.expected, parse: { number.parse($0).map { .seconds($0) } },
      literal: { "\($0.components.seconds)" })
  }

  package static func seconds(_ range: ClosedRange<Int>) -> Self where Value == TimeInterval {
    let number = ConfigurationKind<Int>.wholeNumber(range)
    return Self(
      expected: number.expected, parse: { number.parse($0).map { TimeInterval($0) } }, literal: { "\(Int($0))" })
  }

  package static func choice(of values: [Value]) -> Self
  where Value: RawRepresentable & Sendable, Value.RawValue == String {
    Self(
      expected: "one of " + values.map { "\"\($0.rawValue)\"" }.joined(separator: ", "),
      parse: { given in values.first { $0.rawValue == given.text } }, literal: { "\"\($0.rawValue)\"" })
  }
}

extension ConfigurationKind<Bool> {
  package static let flag = ConfigurationKind(expected: "true or false", parse: { $0.boolean }, literal: { "\($0)" })
}

extension ConfigurationKind<Double> {
  package static let fraction = ConfigurationKind(
    expected: "a number from 0.0 to 1.0",
    parse: { value in value.number.flatMap { (0...1).contains($0) ? $0 : nil } }, literal: { "\($0)" })
}

extension ConfigurationKind<String> {
  package static func text(_ expected: String) -> ConfigurationKind {
    ConfigurationKind(
      expected: expected,
      parse: { value in value.text.flatMap { $0.isEmpty ? nil : $0 } }, literal: { $0.tomlLiteral })
  }
}

extension ConfigurationKind<String?> {
  package static let optionalText = ConfigurationKind(
    expected: "a text", parse: { value in value.text.flatMap { $0.isEmpty ? nil : $0 } },
    literal: { $0?.tomlLiteral })
}
