/// A part of a form with a template of its own, such as the fields of a payment provider. The template sees the stored
/// properties as `fields.…` and the texts as `t.…`; all of it is escaped.
package protocol PageFields: Sendable {
  /// The mustache template.
  static var template: String { get }
}
