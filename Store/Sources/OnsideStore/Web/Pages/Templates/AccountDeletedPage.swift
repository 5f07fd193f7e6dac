/// Says that the account is no more.
struct AccountDeletedPage: Page {
  func title(_ texts: Texts) -> String { texts[.deletedTitle] }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.deletedTitle}}</h1><p class="muted">{{t.deletedText}}</p></div>
    <a class="button quiet wide" href="/">{{t.problemHome}}</a>
    </div>
    """#
}
