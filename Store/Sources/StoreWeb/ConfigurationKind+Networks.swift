import Foundation
package import StoreBase

extension ConfigurationKind<[NetworkRange]> {
  /// Addresses and networks with commas between them.
  package static let networks = ConfigurationKind(
    expected: "addresses or networks with commas between them, such as \"10.0.0.0/8, 2001:db8::7\"",
    parse: { value in
      guard let text = value.text else { return nil }
      let parts = text.split(separator: ",").map { NetworkRange($0.trimmingCharacters(in: .whitespaces)) }
      let ranges = parts.compactMap(\.self)
      return ranges.count == parts.count && !ranges.isEmpty ? ranges : nil
    },
    literal: { ranges in ranges.isEmpty ? nil : ranges.map(\.description).joined(separator: ", ").tomlLiteral })
}
