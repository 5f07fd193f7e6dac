import Foundation
package import Sodium

extension SecretBytes {
  /// The text in Unicode's compatibility decomposition, so that it is the same from every keyboard; nil for what is no
  /// UTF-8. ASCII never leaves locked memory; other letters pass through Foundation's strings, which cannot be
  /// overwritten.
  package var normalizedNFKD: SecretBytes? {
    if withBytes({ $0.allSatisfy { $0 < 0x80 } }) { return self }
    guard let text = withBytes({ String(validating: $0, as: UTF8.self) }) else { return nil }
    return SecretBytes(copying: text.decomposedStringWithCompatibilityMapping.utf8)
  }
}
