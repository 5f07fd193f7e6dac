/// The origins that a page adds to its content security policy, such as `https://js.example`.
package struct PageSources: Sendable, Hashable {
  /// Whether the page has scripts: those that the store serves are allowed then.
  package var hasScripts = false
  /// Where other scripts come from.
  package var scripts: [String] = []
  /// What is shown in frames.
  package var frames: [String] = []
  /// Where scripts send requests to.
  package var connections: [String] = []
  /// Where pictures come from.
  package var images: [String] = []
  /// Where a form may lead to by a redirect, such as a bank.
  package var forms: [String] = []
  /// Whether scripts may set styles inside the page.
  package var inlineStyles = false

  package init(
    hasScripts: Bool = false, scripts: [String] = [], frames: [String] = [], connections: [String] = [],
    images: [String] = [], forms: [String] = [], inlineStyles: Bool = false
  ) {
    self.hasScripts = hasScripts
    self.scripts = scripts
    self.frames = frames
    self.connections = connections
    self.images = images
    self.forms = forms
    self.inlineStyles = inlineStyles
  }
}
