/// Comparisons whose duration tells nothing about the first difference. `HMAC` of swift-crypto has one for whole codes;
/// this one is for codes of which only a part is kept.
package enum ConstantTime {
  package static func areEqual(_ bytes: some Collection<UInt8>, _ others: some Collection<UInt8>) -> Bool {
    bytes.count == others.count && zip(bytes, others).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
