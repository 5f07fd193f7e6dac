/// The frame around every page.
struct Layout: Sendable {
  var language: String
  var direction: String
  var theme: String
  var title: String
  var stylesheet: String
  var brand: String
  var bodyClass: String
  var width: String
  var isFlow: Bool
  var isSandbox: Bool
  var isLoggedIn: Bool
  var refresh: Int?
  var content: String

  static let template = #"""
    <!DOCTYPE html>
    <html lang="{{layout.language}}" dir="{{layout.direction}}" data-theme="{{layout.theme}}">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="robots" content="noindex">
    <meta name="format-detection" content="telephone=no">
    {{#layout.refresh}}<meta http-equiv="refresh" content="{{.}}">{{/layout.refresh}}
    <title>{{layout.title}}</title>
    <link rel="icon" href="/assets/mark.svg" type="image/svg+xml">
    <link rel="stylesheet" href="{{layout.stylesheet}}">
    </head>
    <body class="{{layout.bodyClass}}">
    <a class="skip" href="#main">{{t.skip}}</a>
    <header class="header {{layout.width}}">
    {{#layout.isFlow}}<span class="brand">{{>mark}}{{layout.brand}}</span>{{/layout.isFlow}}
    {{^layout.isFlow}}<a class="brand" href="/">{{>mark}}{{layout.brand}}</a>{{/layout.isFlow}}
    {{#layout.isSandbox}}<span class="badge">{{t.sandbox}}</span>{{/layout.isSandbox}}
    {{^layout.isFlow}}
    <nav aria-label="{{t.account}}">
    {{#layout.isLoggedIn}}<a href="/account">{{t.account}}</a>{{/layout.isLoggedIn}}
    {{^layout.isLoggedIn}}<a href="/login">{{t.logIn}}</a>{{/layout.isLoggedIn}}
    </nav>
    {{/layout.isFlow}}
    </header>
    <main class="main {{layout.width}}" id="main" tabindex="-1">
    {{{layout.content}}}
    </main>
    {{^layout.isFlow}}<footer class="footer">{{t.footer}}</footer>{{/layout.isFlow}}
    </body>
    </html>
    """#
}
