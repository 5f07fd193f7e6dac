import Foundation
import StoreBase
import StoreWeb

/// A request of a merchant's server for a change.
struct MerchantAct: Sendable, Hashable {
  let kind: MerchantActKind
  let caller: APIKeyCaller
  let key: IdempotencyKey
  /// The id of the order, or the subject of the customer, in the path.
  let object: String
  /// The values of the body, by the names of their fields.
  let arguments: [String: String]

  /// - Parameter arguments: nil for an absent field.
  init(
    _ kind: MerchantActKind, of object: String, arguments: [String: String?], key: IdempotencyKey,
    by caller: APIKeyCaller
  ) {
    (self.kind, self.object, self.key, self.caller) = (kind, object, key, caller)
    self.arguments = arguments.compactMapValues { $0 }
  }

  /// The act with its operator, for the audit.
  var audited: AuditedAct {
    AuditedAct(
      kind.rawValue, of: object, by: caller.key, via: .key,
      arguments: arguments.merging(["app": caller.app, "idempotency_key": key.text]) { $1 })
  }

  /// The hash of the kind, object and arguments, the same for each repetition.
  var requestHash: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let content = RequestContent(kind: kind.rawValue, object: object, arguments: arguments)
      return String(decoding: try encoder.encode(content), as: UTF8.self).sha256Base64URL
    }
  }
}

private struct RequestContent: Encodable {
  let kind: String
  let object: String
  let arguments: [String: String]
}
