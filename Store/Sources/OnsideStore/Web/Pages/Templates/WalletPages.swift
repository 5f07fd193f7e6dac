/// Asks which account a wallet logs in with.
struct WalletAddressPage: Page {
  var heading: String
  var value: String
  var error: String?
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{t.walletLead}}</p></div>
    <form class="stack" method="get" action="{{page.action}}" novalidate>
    <div class="field">
    <label for="account">{{t.walletAddress}}</label>
    <input class="input mono" id="account" name="account" dir="ltr" autocomplete="off" autocapitalize="characters" spellcheck="false"
     required autofocus maxlength="128" value="{{page.value}}" aria-describedby="account-hint{{#page.error}} account-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}>
    {{#page.error}}<p class="error" id="account-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <p class="hint" id="account-hint">{{t.walletAddressHint}}</p>
    </div>
    <button class="button wide">{{t.walletNext}}</button>
    </form>
    <a class="button quiet wide" href="{{page.otherAddress}}">{{t.loginMethodOther}}</a>
    {{>cancel}}
    </div>
    """#
}

/// Shows the challenge, and takes it back signed.
struct WalletChallengePage: Page {
  var heading: String
  var lead: String
  var challenge: String
  var error: String?
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.lead}}</p></div>
    <form class="stack" method="post" action="{{page.action}}" novalidate>{{>csrf}}
    <div class="field">
    <label for="challenge">{{t.walletChallenge}}</label>
    <textarea class="input mono" id="challenge" name="challenge" rows="5" readonly dir="ltr" aria-describedby="challenge-hint">{{page.challenge}}</textarea>
    <p class="hint" id="challenge-hint">{{t.walletChallengeHint}}</p>
    </div>
    <div class="field">
    <label for="signed">{{t.walletSigned}}</label>
    <textarea class="input mono" id="signed" name="signed" rows="5" dir="ltr" autocomplete="off" spellcheck="false" required
     aria-describedby="signed-hint{{#page.error}} signed-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}></textarea>
    {{#page.error}}<p class="error" id="signed-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <p class="hint" id="signed-hint">{{t.walletSignedHint}}</p>
    </div>
    <button class="button wide">{{t.walletSubmit}}</button>
    </form>
    <a class="button quiet wide" href="{{page.otherAddress}}">{{t.walletOther}}</a>
    {{>cancel}}
    </div>
    """#
}
