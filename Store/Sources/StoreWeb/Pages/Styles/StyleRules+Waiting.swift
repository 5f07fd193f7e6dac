import StoreBase

extension StyleRules {
  /// A button that looks inactive for a while, and the text beside it that says so. The pages have no script, so an
  /// animation without motion ends the wait: until its delay is over the button shows the first frame.
  static var waiting: String {
    String(embedded: PackageResources.waiting_css) + "\n"
      + waits.map { ".\(waitClass($0)){animation-delay:\($0)s}" }.joined()
  }

  /// The class for a wait of this many seconds, rounded up to the next that there is a rule for; a longer wait looks
  /// inactive until the page is loaded again.
  package static func waitClass(_ seconds: Int) -> String {
    waits.first { $0 >= seconds }.map { "wait-\($0)" } ?? "wait-long"
  }

  private static let waits = Array(stride(from: 5, through: 60, by: 5)) + [90, 120, 180, 300, 600, 3600]
}
