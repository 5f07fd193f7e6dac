import Foundation
import HTTPTypes
package import Hummingbird
import OnsideAPI

/// The parameters of a query or of a form (`application/x-www-form-urlencoded`), in their order.
package struct FormFields: Sendable {
  private let fields: [(name: String, value: String)]

  /// Reads the encoded text; what cannot be decoded is left out.
  package init(_ encoded: String) {
    fields = encoded.split(separator: "&").prefix(64).compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = FormEncoding.decode(parts[0]), let value = FormEncoding.decode(parts.count == 2 ? parts[1] : "")
      else {
        return nil
      }
      return (name, value)
    }
  }

  /// The form in a request's body.
  package init(_ request: Request, context: StoreRequestContext) async throws {
    guard let type = request.headers[.contentType]?.lowercased(),
      type.hasPrefix("application/x-www-form-urlencoded")
    else {
      throw Problem(
        .unsupportedMediaType, code: .unsupportedMediaType, detail: "Expected application/x-www-form-urlencoded.")
    }
    self.init(String(buffer: try await request.body.collect(upTo: context.maxUploadSize)))
  }

  /// The names, in their order.
  package var names: [String] { fields.map(\.name) }

  /// The first value of a name, or nil.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The value of a name that comes exactly once; an empty one counts as missing (RFC 6749, section 3.1).
  package func single(_ name: String) -> String? {
    let values = fields.filter { $0.name == name }
    guard values.count == 1, let value = values.first?.value, !value.isEmpty else { return nil }
    return value
  }

  /// True when a name comes twice, which OAuth forbids.
  package var hasRepetition: Bool { Set(fields.map(\.name)).count != fields.count }
}

extension Request {
  /// The parameters of the address.
  package var queryFields: FormFields { FormFields(uri.query ?? "") }
}
