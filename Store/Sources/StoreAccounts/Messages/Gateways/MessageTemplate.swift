import Foundation
import StoreBase

/// A template with the placeholders `{to}`, `{text}`, `{code}` and `{id}`. All are replaced in one pass: a placeholder
/// within a value is not replaced.
package struct MessageTemplate: Sendable {
  /// The escaping of values.
  package enum Place: Sendable {
    case address, form, json, xml, header, plain

    /// The escaping for a body of a media type.
    init(contentType: String) {
      let type = contentType.lowercased().prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
      switch type {
      case "application/x-www-form-urlencoded": self = .form
      case _ where type.hasSuffix("/json") || type.hasSuffix("+json"): self = .json
      case _ where type.hasSuffix("/xml") || type.hasSuffix("+xml"): self = .xml
      default: self = .plain
      }
    }
  }

  package let text: String
  package let place: Place

  package init(text: String, place: Place) {
    self.text = text
    self.place = place
  }

  func filled(with message: OutgoingMessage) -> String {
    filled(with: ["to": message.to.text, "text": message.text, "code": message.code, "id": message.id])
  }

  /// The text with all placeholders replaced; a missing value is empty.
  package func filled(with values: [String: String]) -> String {
    text.replacing(#/\{(to|text|code|id)\}/#) { match in escaped(values[String(match.1)] ?? "") }
  }

  private func escaped(_ value: String) -> String {
    switch place {
    case .address, .form: value.percentEncoded
    case .json: value.jsonEscaped
    case .xml:
      value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("\"", with: "&quot;").replacing("'", with: "&apos;")
    case .header: String(value.map { $0.isNewline || $0 == "\0" ? " " : $0 })
    case .plain: value
    }
  }
}

extension String {
  /// The text as a JSON string without its quotes.
  fileprivate var jsonEscaped: String {
    // Encoding a string never fails.
    let json = (try? JSONEncoder().encode(self)) ?? Data("\"\"".utf8)
    return String(String(decoding: json, as: UTF8.self).dropFirst().dropLast())
  }
}
