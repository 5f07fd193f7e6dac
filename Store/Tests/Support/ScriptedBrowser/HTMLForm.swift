import Foundation
import OnsideAPI

/// A form of a page, as a browser sees it: enough of HTML for pages that are known to be well-formed.
public struct HTMLForm: Sendable {
  /// Where it is sent; empty for the page itself.
  public var action: String
  /// `get` or `post`.
  public var method: String
  /// The fields that a browser would send untouched, in order: hidden ones, filled ones, checked ones.
  public var fields: [(name: String, value: String)] = []
  /// The radio groups: name to values on offer.
  public var choices: [String: [String]] = [:]
  /// The names of all fields that a person can fill in.
  public var editable: Set<String> = []
  /// The named buttons: name to values.
  public var buttons: [String: [String]] = [:]

  /// Every form of a page, in order.
  public static func all(in html: String) -> [HTMLForm] {
    html.matches(of: /(?s)<form\b([^>]*)>(.*?)<\/form>/).map { match in
      var form = HTMLForm(
        action: attribute("action", of: match.1) ?? "",
        method: (attribute("method", of: match.1) ?? "get").lowercased())
      form.readControls(of: match.2)
      return form
    }
  }

  private mutating func readControls(of html: Substring) {
    for match in html.matches(of: /(?s)<(input|select|button)\b([^>]*)>/) {
      guard let name = Self.attribute("name", of: match.2) else { continue }
      let value = Self.attribute("value", of: match.2) ?? ""
      switch (match.1, Self.attribute("type", of: match.2) ?? "text") {
      case ("button", _): buttons[name, default: []].append(value)
      case ("select", _): readOptions(of: name, in: html[match.range.upperBound...])
      case (_, "radio"):
        choices[name, default: []].append(value)
        if Self.hasFlag("checked", in: match.2) { set(name, to: value) }
      case (_, "hidden"): fields.append((name, value))
      default:
        editable.insert(name)
        fields.append((name, value))
      }
    }
  }

  private mutating func readOptions(of name: String, in html: Substring) {
    let list = html.firstRange(of: "</select>").map { html[..<$0.lowerBound] } ?? html
    for match in list.matches(of: /(?s)<option\b([^>]*)>/) {
      let value = Self.attribute("value", of: match.1) ?? ""
      choices[name, default: []].append(value)
      if Self.hasFlag("selected", in: match.1) { set(name, to: value) }
    }
  }

  /// Fills in a field or makes a choice.
  public mutating func set(_ name: String, to value: String) {
    if let index = fields.firstIndex(where: { $0.name == name }) {
      fields[index].value = value
    } else {
      fields.append((name, value))
    }
  }

  /// The body that a browser sends, `application/x-www-form-urlencoded`.
  public var body: String { FormEncoding.encode(fields) }

  private static func attribute(_ name: String, of tag: Substring) -> String? {
    tag.matches(of: /([a-zA-Z-]+)\s*=\s*"([^"]*)"/)
      .first { $0.1.lowercased() == name }
      .map { unescaped(String($0.2)) }
  }

  private static func hasFlag(_ name: String, in tag: Substring) -> Bool {
    tag.replacing(/"[^"]*"/, with: "").split(whereSeparator: { " \n\t/=".contains($0) }).contains { $0 == name }
  }

  /// The text behind HTML's five escapes and numeric references for the same characters.
  public static func unescaped(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")]
      .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
