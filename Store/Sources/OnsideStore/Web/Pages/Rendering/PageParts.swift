/// Pieces that several templates include.
enum PageParts {
  static let all = [
    "mark": mark, "csrf": csrf, "cancel": cancel, "alert": alert, "check": check, "info": info, "card": card,
    "arrow": arrow, "region-options": regionOptions, "links": links,
  ]

  /// The logo: a circle, the player, beside a vertical line.
  static let mark = #"""
    <svg class="mark" width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" focusable="false">
    <rect width="28" height="28" rx="8.5" fill="currentColor"/>
    <path class="line" d="M18.75 6.5v15" stroke-width="2.5" stroke-linecap="round"/>
    <circle class="player" cx="11" cy="14" r="4.25"/>
    </svg>
    """#

  /// The logo as a file of its own, for the browser's tab.
  static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect width="28" height="28" rx="8.5" fill="#0b6b58"/>\
    <path d="M18.75 6.5v15" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/>\
    <circle cx="11" cy="14" r="4.25" fill="#fff"/></svg>
    """

  static let csrf = #"<input type="hidden" name="csrf" value="{{csrf}}">"#
  /// The form that cancels the page's login or payment.
  static let cancel = #"""
    <form method="post" action="{{page.cancelAction}}">{{>csrf}}<button class="button plain wide">{{t.cancel}}</button></form>
    """#

  static let alert = icon(#"<circle cx="10" cy="10" r="8.25"/><path d="M10 6v4.75M10 13.75v.01"/>"#)
  static let check = icon(#"<path d="m4.5 10.5 3.75 3.75 7.25-8"/>"#)
  static let info = icon(#"<circle cx="10" cy="10" r="8.25"/><path d="M10 9.25V14M10 6.25v.01"/>"#)
  static let card = icon(#"<rect x="2" y="4.25" width="16" height="11.5" rx="2.25"/><path d="M2 8.25h16M5 12.25h3"/>"#)
  static let arrow = icon(#"<path d="m7.5 4.5 5.5 5.5-5.5 5.5"/>"#, class: "arrow")

  static let regionOptions = #"""
    {{#page.regions}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>
    {{/page.regions}}
    """#

  static let links = #"""
    {{#page.links}}<a class="button quiet wide" href="{{address}}">{{label}}</a>
    {{/page.links}}
    """#

  private static func icon(_ shapes: String, class name: String = "") -> String {
    """
    <svg class="\(name)" width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" \
    stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" \
    focusable="false">\(shapes)</svg>
    """
  }
}
