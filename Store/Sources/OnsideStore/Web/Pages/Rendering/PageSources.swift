/// The origins that a page adds to its content security policy, such as `https://js.example`.
struct PageSources: Sendable, Hashable {
  /// Whether the page has scripts: those that the store serves are allowed then.
  var hasScripts = false
  /// Where other scripts come from.
  var scripts: [String] = []
  /// What is shown in frames.
  var frames: [String] = []
  /// Where scripts send requests to.
  var connections: [String] = []
  /// Where pictures come from.
  var images: [String] = []
  /// Where a form may lead to by a redirect, such as a bank.
  var forms: [String] = []
  /// Whether scripts may set styles inside the page.
  var inlineStyles = false
}
