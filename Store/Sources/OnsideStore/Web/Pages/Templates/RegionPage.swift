/// Asks a new account for its region, with the one of the number, or of the hint that the app gave, chosen already.
struct RegionPage: Page {
  var lead: String
  var regions: [PageOption]
  var error: String?
  var action: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.regionTitle] }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.regionTitle}}</h1><p class="muted" id="region-lead">{{page.lead}}</p></div>
    <form class="stack" method="post" action="{{page.action}}">{{>csrf}}
    <div class="field">
    <label for="country">{{t.regionLabel}}</label>
    <select class="select" id="country" name="country" autocomplete="country" aria-describedby="region-lead{{#page.error}} region-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}>{{>region-options}}</select>
    {{#page.error}}<p class="error" id="region-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    </div>
    <button class="button wide">{{t.regionSubmit}}</button>
    </form>
    {{>cancel}}
    </div>
    """#
}
