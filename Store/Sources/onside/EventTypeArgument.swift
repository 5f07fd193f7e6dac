import ArgumentParser
import OnsideAPI

/// Types of events on the command line.
enum EventTypeArgument {
  /// Returns the types of a list with commas; none without a list.
  static func types(_ flag: String, _ list: String?) throws -> [MerchantEventType] {
    try (list ?? "").split(separator: ",").map { try type(flag, String($0)) }
  }

  /// Returns the type of a name.
  static func type(_ flag: String, _ name: String) throws -> MerchantEventType {
    let type = MerchantEventType(rawValue: name)
    guard MerchantEventType.all.contains(type) else {
      let known = MerchantEventType.all.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("\(flag): expected a type of events, got \"\(name)\"; the types are \(known)")
    }
    return type
  }
}
