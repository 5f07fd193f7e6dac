public import OnsideAPI

extension Route {
  static let homePage = Route(.get, "/", by: .browser)
  static let asset = Route(.get, "/assets/{name}", by: .browser)
  static let shopPage = Route(.get, "/shop/{app}", by: .browser)
  static let shopBuy = Route(.post, "/shop/{app}/buy", by: .browser)
  /// Goes on with a purchase after the login that it asked for.
  static let shopBuyNext = Route(.get, "/shop/{app}/buy", by: .browser)

  static let landingPage = Route(.get, "/a/{app}", by: .browser)
  static let landingInstall = Route(.post, "/a/{app}/install", by: .browser)

  static let webLogin = Route(.get, "/login", by: .browser)
  static let loginPage = Route(.get, "/login/{attempt}", by: .browser)
  static let loginNumber = Route(.post, "/login/{attempt}", by: .browser)
  static let loginContinue = Route(.post, "/login/{attempt}/continue", by: .browser)
  static let loginCodePage = Route(.get, "/login/{attempt}/code", by: .browser)
  static let loginCode = Route(.post, "/login/{attempt}/code", by: .browser)
  static let loginResend = Route(.post, "/login/{attempt}/resend", by: .browser)
  static let loginRegionPage = Route(.get, "/login/{attempt}/region", by: .browser)
  static let loginRegion = Route(.post, "/login/{attempt}/region", by: .browser)
  static let loginMethod = Route(.get, "/login/{attempt}/with/{method}", by: .browser)
  static let openIDCallback = Route(.get, "/openid/{provider}/callback", by: .browser)
  static let walletPage = Route(.get, "/login/{attempt}/wallet", by: .browser)
  static let walletAnswer = Route(.post, "/login/{attempt}/wallet", by: .browser)
  static let loginCancel = Route(.post, "/login/{attempt}/cancel", by: .browser)

  static let paymentPage = Route(.get, "/pay/{token}", by: .browser)
  static let paymentSubmit = Route(.post, "/pay/{token}", by: .browser)
  static let paymentCancel = Route(.post, "/pay/{token}/cancel", by: .browser)
  static let secondStepPage = Route(.get, "/pay/{token}/second-step", by: .browser)
  static let secondStepAnswer = Route(.post, "/pay/{token}/second-step", by: .browser)
  static let paymentReturn = Route(.get, "/pay/{token}/return", by: .browser)
  static let receiptPage = Route(.get, "/receipt/{token}", by: .browser)

  static let methodsPage = Route(.get, "/methods/{token}", by: .browser)
  static let methodsChange = Route(.post, "/methods/{token}", by: .browser)
  static let methodsDone = Route(.post, "/methods/{token}/done", by: .browser)

  static let accountPage = Route(.get, "/account", by: .browser)
  static let accountChange = Route(.post, "/account", by: .browser)
  static let accountSessions = Route(.post, "/account/sessions", by: .browser)
  static let loginsPage = Route(.get, "/account/logins", by: .browser)
  static let loginsProof = Route(.post, "/account/logins", by: .browser)
  static let loginsAdd = Route(.post, "/account/logins/add", by: .browser)
  static let loginsRemove = Route(.post, "/account/logins/remove", by: .browser)
  static let accountDataPage = Route(.get, "/account/data", by: .browser)
  static let accountProof = Route(.post, "/account/data", by: .browser)
  static let accountExport = Route(.post, "/account/export", by: .browser)
  static let accountDelete = Route(.post, "/account/delete", by: .browser)
  static let logOut = Route(.post, "/logout", by: .browser)

  /// Every page of the store.
  public static let pages: [Route] = [
    homePage, asset, shopPage, shopBuy, shopBuyNext, landingPage, landingInstall, webLogin, loginPage, loginNumber,
    loginContinue,
    loginCodePage, loginCode, loginResend, loginRegionPage, loginRegion, loginMethod, openIDCallback, walletPage,
    walletAnswer, loginCancel, paymentPage,
    paymentSubmit, paymentCancel, secondStepPage,
    secondStepAnswer, paymentReturn, receiptPage, methodsPage, methodsChange, methodsDone, accountPage, accountChange,
    accountSessions, loginsPage, loginsProof, loginsAdd, loginsRemove, accountDataPage, accountProof, accountExport,
    accountDelete, logOut,
  ]
}
