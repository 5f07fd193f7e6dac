/// Says what a move to another region changes, before it does.
struct RegionChangePage: Page {
  var heading: String
  var lead: String
  var prices: String
  var country: String
  var submitLabel: String

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.lead}}</p></div>
    <ul class="ticks stack-small">
    <li>{{>info}}<span>{{page.prices}}</span></li>
    <li>{{>info}}<span>{{t.moveOpen}}</span></li>
    <li>{{>check}}<span>{{t.moveKeep}}</span></li>
    <li>{{>check}}<span>{{t.moveApps}}</span></li>
    </ul>
    <form method="post" action="/account">{{>csrf}}<input type="hidden" name="country" value="{{page.country}}"><input type="hidden" name="confirmed" value="{{page.country}}"><button class="button wide">{{page.submitLabel}}</button></form>
    <a class="button plain wide" href="/account">{{t.cancel}}</a>
    </div>
    """#
}
