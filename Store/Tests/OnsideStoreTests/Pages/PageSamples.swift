import Foundation
import OnsideCommerce

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreAnalytics
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe
@testable import StoreWeb

/// Every page in every state that looks different, for the checks that all pages must pass.
enum PageSamples {
  static func all(_ language: Language) -> [(name: String, page: any Page)] {
    let texts = Texts(language)
    return site(texts) + login(texts) + payment(texts) + refund(texts) + account(texts)
      + subscriptionPages(texts) + methodRemoval(texts) + redemption(texts)
  }

  /// Whether the sample is a page for a user who is logged in.
  static func isLoggedIn(_ name: String) -> Bool {
    name == "shop-account" || name.hasPrefix("account") && name != "account-deleted" || name.hasPrefix("logins")
      || name.hasPrefix("subscription")
  }

  /// A day of November 2026, as a customer in the Netherlands reads it.
  static func day(_ number: Int, in texts: Texts) -> String {
    texts.day(Date(timeIntervalSince1970: 1_793_491_200 + Double(number - 1) * 86400), in: .netherlands).isolated
  }

  private static func site(_ texts: Texts) -> [(String, any Page)] {
    [
      (
        "home",
        HomePage(
          apps: [
            .init(name: "Lumen", identifier: "io.example.lumen", initial: "L", path: "/shop/io.example.lumen"),
            .init(name: "Tideline", identifier: "io.example.tideline", initial: "T", path: "/shop/io.example.tideline"),
          ], isSandbox: true)
      ),
      ("home-empty", HomePage(apps: [], isSandbox: false)),
      ("shop", shop(texts, isAccount: false)), ("shop-account", shop(texts, isAccount: true)),
      ("landing", landing(texts, isInstallable: true)), ("landing-none", landing(texts, isInstallable: false)),
      ("problem", PageProblem.notFound.page(texts)), ("problem-login", PageProblem.otherBrowser.page(texts)),
      ("problem-wait", PageProblem.wait(seconds: 754).page(texts)),
    ]
  }

  private static func shop(_ texts: Texts, isAccount: Bool) -> ShopPage {
    func item(
      _ id: String, title: String, description: String, kind: TextKey, price: String, rhythm: String? = nil,
      offer: String? = nil, ends: String? = nil, sale: ShopPage.Sale
    ) -> ShopPage.Item {
      ShopPage.Item(
        id: id, title: title, description: description, kind: texts[kind], price: price, rhythm: rhythm, offer: offer,
        ends: ends, sale: sale)
    }
    func buy(_ number: Int) -> ShopPage.Sale {
      .offered(texts[.shopBuy], orderID: "0198c0de-0000-7000-8000-00000000000\(number)")
    }
    let month = texts.rhythm(.oneMonth)
    let trial = [
      "duration": texts.length(.oneWeek), "price": "€ 9,99".isolated + " " + month,
    ]
    let other = ["plan": "Lumen Plus".isolated, "date": day(27, in: texts)]
    return ShopPage(
      appName: "Lumen", appInitial: "L", path: "/shop/io.example.lumen",
      notice: isAccount ? texts(.shopMoved, ["country": texts.name(.netherlands)]) : nil,
      accountRegion: isAccount ? texts(.shopLead, ["country": texts.name(.netherlands)]) : nil, country: "NL",
      products: [
        item(
          "coins.100", title: "100 coins", description: "A handful of light for rainy days.", kind: .kindConsumable,
          price: "€ 0,99", sale: buy(1)),
        item(
          "themes", title: "Night themes", description: "Twelve dark themes, yours to keep on every device.",
          kind: .kindNonConsumable, price: "€ 4,99",
          sale: isAccount ? .owned(texts[.shopOwned], receipt: "/receipt/t") : buy(2)),
        item(
          "plus", title: "Lumen Plus", description: "Everything in Lumen, without limits.", kind: .kindSubscription,
          price: "€ 9,99", rhythm: month,
          offer: isAccount ? nil : texts(.offerFree, trial),
          ends: isAccount ? nil : texts(.endsAfter, ["duration": texts.length(.oneWeek)]),
          sale: isAccount
            ? .owned(texts(.shopUntil, ["date": day(27, in: texts)]), receipt: "/receipt/t")
            : .offered(texts.startTrial(.oneWeek, times: 1) ?? "", orderID: "0198c0de-0000-7000-8000-000000000003")),
        item(
          "pro", title: "Lumen Pro", description: "Lumen Plus for the whole family.", kind: .kindSubscription,
          price: "€ 14,99", rhythm: month,
          ends: texts(.endsAfter, ["duration": texts.length(.oneMonth)]),
          sale: isAccount
            ? .refused(texts(.shopOther, other))
            : .offered(texts[.shopSubscribe], orderID: "0198c0de-0000-7000-8000-000000000004")),
      ], regions: isAccount ? [] : PageOption.regions(texts.language, chosen: .netherlands))
  }

  private static func landing(_ texts: Texts, isInstallable: Bool) -> LandingPage {
    let words = ["app": "Lumen"]
    return LandingPage(
      appInitial: "L", heading: texts(.landTitle, words), lead: texts(.landLead, words),
      installLabel: texts(.landInstall, words), next: texts(.landNext, words), note: texts(.landNote, words),
      action: isInstallable ? "/a/io.example.lumen/install" : nil, visit: "v", shopPath: "/shop/io.example.lumen")
  }

  private static func card(_ texts: Texts, isEntered: Bool) -> StripeCardPage {
    StripeCardPage(
      task: "payment", heading: texts[isEntered ? .cardEntryTitle : .cardConfirmTitle],
      lead: texts[isEntered ? .cardEntrySafe : .cardConfirmLead], price: "€ 9,99", asksCard: isEntered,
      mandate: isEntered ? texts[.cardEntryMandate] : nil,
      submitLabel: isEntered ? texts(.paySubmit, ["price": "€ 9,99".isolated]) : texts[.cardConfirmSubmit],
      hasOther: true, action: "/pay/t/second-step", publishableKey: "pk_test_1", clientSecret: "pi_1_secret_1",
      method: isEntered ? "" : "pm_1", language: texts.language.rawValue, script: StripeSettings.script,
      fieldScript: StripeCardPage.script.path)
  }

  private static func trialCard(_ texts: Texts) -> StripeCardPage {
    var page = card(texts, isEntered: true)
    (page.task, page.price, page.clientSecret) = ("setup", "€ 0,00", "seti_1_secret_1")
    page.mandate = texts(.cardEntryMandateRenewals, ["product": "Plus".isolated])
    page.submitLabel = texts.startTrial(.oneWeek, times: 1) ?? ""
    return page
  }

  private static func login(_ texts: Texts) -> [(String, any Page)] {
    let number = "+31\u{00A0}612\u{00A0}345\u{00A0}689".isolated
    func link(_ key: TextKey, address: String, words: [String: String] = [:]) -> PageLink {
      PageLink(label: texts(key, words), address: address)
    }
    let provider = link(.loginMethodContinue, address: "/login/a/with/example", words: ["name": "Example ID".isolated])
    func phone(_ error: String?) -> PhonePage {
      PhonePage(
        heading: texts[.phoneTitle], lead: texts(.phoneLeadApp, ["app": "Lumen"]),
        hint: texts(.phoneHint, ["example": PhoneExample.number(.netherlands).isolated]),
        regions: PageOption.diallingCodes(texts.language, chosen: .netherlands),
        value: error == nil ? "" : "0612345689", error: error, action: "/login/a",
        links: [link(.emailInstead, address: "/login/a?number=other&with=email"), provider],
        cancelAction: "/login/a/cancel")
    }
    func email(_ error: String?) -> EmailPage {
      EmailPage(
        heading: texts[.loginsAdd], lead: texts(.emailLeadApp, ["app": "Lumen"]),
        value: error == nil ? "" : "ann at example.org", error: error,
        action: "/login/a", links: [link(.phoneInstead, address: "/login/a?number=other&with=phone"), provider],
        cancelAction: "/login/a/cancel")
    }
    func code(_ error: String? = nil, note: String? = nil, resendError: String? = nil) -> CodePage {
      CodePage(
        lead: texts(.codeLead, ["number": number]),
        requester: .init(
          app: "Lumen", identifier: "io.example.lumen", destination: texts[.consentToProgram],
          address: "http://127.0.0.1:61999/callback"), error: error, note: note,
        wait: .init(text: texts(.codeResendWait, ["wait": texts.wait(28)]), style: StyleRules.waitClass(28)),
        resendError: resendError, action: "/login/a/code", resendAction: "/login/a/resend",
        changeAddress: "/login/a?number=other", changeLabel: texts[.codeChange])
    }
    return [
      (
        "ways",
        LoginMethodsPage(
          heading: texts[.phoneTitle], lead: texts(.loginMethodsLeadApp, ["app": "Lumen"]), links: [provider],
          cancelAction: "/login/a/cancel")
      ),
      (
        "way-failed",
        LoginRefusedPage(
          heading: texts(.loginMethodFailedTitle, ["name": "Example ID".isolated]),
          text: texts(.loginMethodBroken, ["name": "Example ID".isolated]), backAddress: "/login/a?number=other",
          backLabel: texts[.loginMethodOther])
      ),
      ("wallet", wallet(texts, error: nil)), ("wallet-error", wallet(texts, error: texts[.walletAddressWrong])),
      ("wallet-sign", challenge(texts, error: nil)),
      ("wallet-sign-error", challenge(texts, error: texts[.walletWrong])),
      ("phone", phone(nil)), ("email", email(nil)), ("email-error", email(texts.describe(.unexpected(" ")))),
      ("phone-error", phone(texts.describe(.noCountryCode, example: PhoneExample.number(.netherlands).isolated))),
      (
        "continue",
        ContinuePage(
          lead: texts[.continueLead],
          continueLabel: texts(.continueAs, ["number": "•••• 89".isolated]), action: "/login/a/continue",
          otherAddress: "/login/a?number=other", cancelAction: "/login/a/cancel")
      ),
      ("consent", consent(texts)), ("code", code()), ("code-error", code(texts[.codeWrong])),
      ("code-again", code(note: texts[.codeSentAgain])),
      ("code-limited", code(resendError: texts(.waitText, ["wait": texts.wait(754)]))),
      (
        "account-choice",
        AccountChoicePage(
          action: "/login/a/account",
          accounts: [("NL", "•••• 56"), ("GB", "•••• 56, a•••@example.org")].map { region, logins in
            AccountChoicePage.Choice(
              id: region,
              title: texts(
                .choiceAccount,
                [
                  "region": (CountryCode(alpha2: region) ?? .netherlands)
                    .localizedName(language: texts.language.rawValue), "date": "3 May 2026",
                ]), detail: logins.isolated)
          }, cancelAction: "/login/a/cancel")
      ),
      (
        "region",
        RegionPage(
          lead: texts[.regionLead], regions: PageOption.regions(texts.language, chosen: .netherlands), error: nil,
          action: "/login/a/region",
          cancelAction: "/login/a/cancel")
      ),
      (
        "region-error",
        RegionPage(
          lead: texts[.regionLead], regions: PageOption.regions(texts.language, chosen: .netherlands),
          error: texts[.regionUnknown],
          action: "/login/a/region", cancelAction: "/login/a/cancel")
      ),
    ]
  }

  private static func wallet(_ texts: Texts, error: String?) -> WalletAddressPage {
    WalletAddressPage(
      heading: texts[.phoneTitle], value: error == nil ? "" : "GA7QYNF7", error: error, action: "/login/a/wallet",
      otherAddress: "/login/a?number=other", cancelAction: "/login/a/cancel")
  }

  private static func challenge(_ texts: Texts, error: String?) -> WalletChallengePage {
    WalletChallengePage(
      heading: texts[.phoneTitle], lead: texts(.walletSignLead, ["address": "GA7Q…VSGZ".isolated]),
      challenge: String(repeating: "AAAAAgAAAADQSrIydCu0", count: 24), error: error, action: "/login/a/wallet",
      otherAddress: "/login/a/wallet", cancelAction: "/login/a/cancel")
  }

  private static func consent(_ texts: Texts) -> ConsentPage {
    let words = ["app": "Lumen".isolated, "number": "•••• 89".isolated]
    return ConsentPage(
      heading: texts(.consentTitle, words), lead: texts(.consentLead, words), app: "Lumen",
      identifier: "io.example.lumen", address: "io.example.lumen.onside-auth://onside",
      addressNote: texts[.consentToApp], purchases: texts(.consentPurchases, words), subject: "a",
      continueLabel: texts(.continueAs, words), action: "/login/a/continue", otherAddress: "/login/a?number=other",
      cancelAction: "/login/a/cancel")
  }

  private static func payment(_ texts: Texts) -> [(String, any Page)] {
    func pay(
      _ error: String? = nil, change: String? = nil, isTrial: Bool = false, starts: String? = nil
    ) -> CheckoutPage {
      let month = "€ 9,99".isolated + " " + texts.rhythm(.oneMonth)
      let offer = texts(.offerFree, ["duration": texts.length(.oneWeek), "price": month])
      return CheckoutPage(
        lead: texts(.payLead, ["app": "Lumen"]), productTitle: "Lumen Plus",
        productDescription: "Everything in Lumen, without limits.", region: texts.name(.netherlands), quantity: nil,
        price: isTrial ? "€ 0,00" : "€ 9,99", shownPrice: "999 EUR", offer: isTrial ? offer : nil,
        ends: texts(.renewsUntilCancelled, ["price": "€ 9,99".isolated + " " + texts.rhythm(.oneMonth)]),
        starts: starts,
        payLabel: (isTrial ? texts.startTrial(.oneWeek, times: 1) : nil) ?? texts(.paySubmit, ["price": "€ 9,99"]),
        priceChanged: change, error: error,
        choices: [
          .init(
            value: "saved", name: texts[.cardSucceeds], note: texts(.cardNote, ["brand": "Visa", "digits": "4242"]),
            isChosen: error == nil, isDefault: true),
          .init(
            value: "succeeds", name: texts[.cardSucceeds], note: texts(.cardNote, ["brand": "Visa", "digits": "0001"]),
            isChosen: false,
            isDefault: false),
          .init(
            value: "declines", name: texts[.cardDeclined], note: texts(.cardNote, ["brand": "Visa", "digits": "0002"]),
            isChosen: false,
            isDefault: false),
          .init(
            value: "asks", name: texts[.cardSecondStep], note: texts(.cardNote, ["brand": "Visa", "digits": "0003"]),
            isChosen: false,
            isDefault: false),
        ],
        more: [
          .init(
            value: "later", name: texts[.cardSettlesLater],
            note: texts(.cardNote, ["brand": "Visa", "digits": "0005"]),
            isChosen: false, isDefault: false)
        ], moreLabel: texts[.payMore], maySave: true, renews: true, action: "/pay/t", cancelAction: "/pay/t/cancel")
    }
    return [
      ("pay", pay()), ("pay-declined", pay(texts[.payDeclined])), ("pay-trial", pay(isTrial: true)),
      (
        "pay-change",
        pay(
          starts: texts(.payReplaces, ["plan": "Lumen Basic".isolated]) + " "
            + texts(.payGivesBack, ["amount": "€ 3,37".isolated]))
      ),
      ("renew-plan", renewPlan(texts)), ("renew-plan-changed", renewPlan(texts, change: texts[.planRepriced])),
      ("renew-plan-offer", renewPlan(texts, acceptsOffer: true)),
      ("renew-plan-login", renewPlan(texts, isOwners: false)),
      ("pay-changed", pay(change: texts[.payPriceChanged] + " " + texts(.payWas, ["price": "€ 8,99"]))),
      ("second-step", SecondStepPage(payee: "Onside", price: "€ 9,99", action: "/pay/t/second-step")),
      ("stripe-card", card(texts, isEntered: true)), ("stripe-confirm", card(texts, isEntered: false)),
      ("stripe-trial", trialCard(texts)),
      (
        "pending",
        PendingPage(
          address: "/pay/t", backAddress: "io.example.lumen://onside", backLabel: texts(.backToApp, ["app": "Lumen"]))
      ),
      (
        "closed",
        ClosedPage(
          text: texts[.closedExpired], backAddress: "io.example.lumen://onside",
          backLabel: texts(.backToApp, ["app": "Lumen"]), shopAddress: "/shop/io.example.lumen")
      ),
      (
        "already-owned",
        AlreadyOwnedPage(
          text: texts(.alreadyText, ["product": "Night themes".isolated]), receiptAddress: "/receipt/t",
          backAddress: "io.example.lumen://onside", backLabel: texts(.backToApp, ["app": "Lumen"]),
          shopAddress: "/shop/io.example.lumen")
      ),
      ("receipt", receipt(texts, isRefunded: false)), ("receipt-refunded", receipt(texts, isRefunded: true)),
    ]
  }

  private static func renewPlan(
    _ texts: Texts, change: String? = nil, acceptsOffer: Bool = false, isOwners: Bool = true
  ) -> RenewPlanPage {
    let (price, date) = ("€ 9,99".isolated, day(20, in: texts))
    let plan = RenewPlanPage.Plan(
      paidUntil: date,
      unchanged: texts(.planChanges, ["plan": "Lumen Basic".isolated, "date": date, "price": "€ 4,99"]),
      nextPayment: acceptsOffer
        ? texts(.offerFrom, ["date": date, "offer": "€ 4,99".isolated])
        : texts(.renewPayment, ["price": price, "date": date]),
      terms: texts(.renewsUntilCancelled, ["price": "\(price) \(texts.rhythm(.oneMonth))"]),
      submitLabel: acceptsOffer ? texts[.offerAccept] : texts(.renewSubmit, ["price": price]), shownPrice: "999 EUR")
    return RenewPlanPage(
      heading: texts[acceptsOffer ? .offerTitle : .renewTitle], lead: texts(.payLead, ["app": "Lumen"]),
      productTitle: "Lumen Plus",
      productDescription: "Everything in Lumen, without limits.", plan: isOwners ? plan : nil,
      logIn: texts[acceptsOffer ? .offerLogIn : .renewLogIn], priceChanged: change,
      action: "/pay/t/renewal", cancelAction: "/pay/t/cancel")
  }

  private static func receipt(_ texts: Texts, isRefunded: Bool) -> ReceiptPage {
    ReceiptPage(
      heading: texts[isRefunded ? .accountReceipt : .receiptTitle],
      lead: texts[isRefunded ? .receiptRefunded : .receiptLead], isRefunded: isRefunded, product: "Lumen Plus",
      quantity: isRefunded ? nil : "3", price: "€ 9,99",
      tax: .init(
        net: "€ 8,26", label: texts(.receiptTax, ["rate": texts.rate(2100, in: .netherlands).isolated]),
        amount: "€ 1,73"),
      givenBack: isRefunded ? "€ 9,99" : nil, date: day(20, in: texts), ends: isRefunded ? nil : day(27, in: texts),
      orderID: "0198c0de-1234-7abc-8def-0123456789ab", number: "R-2026-000123",
      printedHeading: texts(.receiptNumbered, ["number": "R-2026-000123".isolated]),
      seller: "Onside Example B.V., Keizersgracht 1, Amsterdam", sellerTaxNumber: "NL000099998B57",
      keysAddress: "https://store.example/.well-known/jwks.json",
      receipt: "eyJhbGciOiJFUzI1NiJ9.eyJvcmRlcl9pZCI6IjAxOThjMGRlIn0.c2lnbmF0dXJl",
      backAddress: "io.example.lumen://onside", backLabel: texts(.backToApp, ["app": "Lumen"]),
      shopAddress: "/shop/io.example.lumen")
  }

  private static func refund(_ texts: Texts) -> [(String, any Page)] {
    func page(
      _ state: String?, entry: RefundPage.Entry? = nil, mayAsk: Bool = true, reasonError: String? = nil,
      noteError: String? = nil
    ) -> RefundPage {
      let form = RefundPage.Form(
        entry, isChange: state != nil, action: "/refund/t", reasonError: reasonError, noteError: noteError,
        texts: texts)
      return RefundPage(
        heading: texts[state == nil ? .refundAsk : .refundRequest], state: state, isSent: state != nil && mayAsk,
        product: "Lumen Plus", price: "€ 9,99", date: day(20, in: texts), form: mayAsk ? form : nil,
        back: PageLink(label: texts(.backToApp, ["app": "Lumen"]), address: "io.example.lumen://onside"))
    }
    let entry = RefundPage.Entry(reason: .unintended, note: "My son bought it.")
    let words = ["date": day(21, in: texts)]
    return [
      ("refund", page(nil)), ("refund-sent", page(texts(.refundWaiting, words), entry: entry)),
      ("refund-no-reason", page(nil, reasonError: texts[.refundChoose])),
      ("refund-long-note", page(nil, entry: entry, noteError: texts[.refundNoteTooLong])),
      ("refund-granted", page(texts(.refundGranted, words), mayAsk: false)),
      ("refund-declined", page(texts(.refundDeclined, words), mayAsk: false)),
      ("refund-nothing", page(texts[.refundNothing], mayAsk: false)),
    ]
  }

  private static func logins(_ texts: Texts, isProved: Bool, isOnly: Bool) -> AccountLoginMethodsPage {
    let since = texts(.loginsSince, ["date": day(1, in: texts)])
    let phone = AccountLoginMethodsPage.Login(id: "1", title: texts[.loginsPhone], detail: "•••• 89", since: since)
    let others = [
      AccountLoginMethodsPage.Login(id: "2", title: texts[.loginsEmail], detail: "a•••@example.org", since: since),
      AccountLoginMethodsPage.Login(id: "3", title: "Example ID", detail: "a•••@example.org", since: since),
    ]
    return AccountLoginMethodsPage(
      isProved: isProved, notice: isOnly || !isProved ? nil : texts[.loginsAdded],
      error: isOnly ? texts[.loginsLast] : nil, logins: isOnly ? [phone] : [phone] + others)
  }

  private static func account(_ texts: Texts) -> [(String, any Page)] {
    let choices = [
      PageOption(value: "succeeds", label: texts[.cardSucceeds], isChosen: true),
      PageOption(value: "declines", label: texts[.cardDeclined]),
    ]
    func methods(_ methods: [PaymentMethodsPage.Method]) -> PaymentMethodsPage {
      PaymentMethodsPage(
        methods: methods, choices: choices, legend: texts[.methodsAddLegend],
        waiting: methods.isEmpty
          ? [
            PageLink(
              label: texts(.methodsWaiting, ["product": "Plus".isolated, "app": "Lumen".isolated]),
              address: "/account/subscriptions?app=io.example.lumen&group=plans")
          ] : [], action: "/methods/t",
        doneAction: "/methods/t/done")
    }
    let used = PaymentMethodsPage.Method(
      id: "3", name: texts[.cardSucceeds], note: texts(.cardNote, ["brand": "Visa", "digits": "4242"]),
      isDefault: false, isSaved: false,
      uses: texts(.methodsUse, ["product": "Plus".isolated, "app": "Lumen".isolated]))
    func account(
      _ saved: String?, error: String?, subscriptions: [AccountPage.Subscription] = [],
      purchases: [AccountPage.Purchase]
    ) -> AccountPage {
      AccountPage(
        number: "•••• 89", regions: PageOption.regions(texts.language, chosen: .netherlands), saved: saved,
        error: error, subscriptions: subscriptions,
        sessions: [
          .init(
            id: "browser:1", title: texts[.sessionsBrowser], device: "Firefox, Linux",
            times: texts(.sessionsTimes, ["since": day(1, in: texts), "used": day(20, in: texts)]), isCurrent: true),
          .init(
            id: "app:1", title: "Lumen", device: texts[.sessionsUnknown],
            times: texts(.sessionsTimes, ["since": day(3, in: texts), "used": day(19, in: texts)]), isCurrent: false),
        ], purchases: purchases)
    }
    let words = ["country": CountryCode(alpha2: "DE").map { texts.name($0) } ?? ""]
    return [
      (
        "account-move",
        RegionChangePage(
          heading: texts(.moveTitle, words), lead: texts(.moveLead, ["country": texts.name(.netherlands)]),
          prices: texts(.movePrices, words), country: "DE", submitLabel: texts(.moveSubmit, words))
      ),
      ("logins", logins(texts, isProved: true, isOnly: false)),
      ("logins-proof", logins(texts, isProved: false, isOnly: false)),
      ("logins-only", logins(texts, isProved: true, isOnly: true)),
      (
        "logins-taken",
        LoginRefusedPage(
          heading: texts[.takenTitle], text: texts[.takenText], backAddress: "/account/logins",
          backLabel: texts[.loginsBack])
      ),
      ("account-proof", AccountDataPage(isProved: false)), ("account-data", AccountDataPage(isProved: true)),
      ("account-data-error", AccountDataPage(isProved: true, error: texts[.deleteUnticked])),
      ("account-deleted", AccountDeletedPage()),
      ("methods-empty", methods([])), ("methods-used", methods([used])),
      (
        "methods",
        methods(
          [
            .init(
              id: "1", name: texts[.cardSucceeds], note: texts(.cardNote, ["brand": "Visa", "digits": "0001"]),
              isDefault: true),
            .init(
              id: "2", name: texts[.cardSecondStep], note: texts(.cardNote, ["brand": "Visa", "digits": "0003"]),
              isDefault: false), used,
          ])
      ),
      ("account-empty", account(nil, error: texts[.regionUnknown], purchases: [])),
      (
        "account",
        account(
          texts(.accountSaved, ["country": texts.name(.netherlands)]), error: nil,
          subscriptions: subscriptions(texts),
          purchases: [
            .init(
              title: "Lumen Plus", detail: "€ 9,99".isolated + " · " + day(20, in: texts), state: texts[.statePaid],
              stateClass: "good", address: "/receipt/t",
              refund: PageLink(label: texts[.refundAsk], address: "/account/purchases/1/refund")),
            .init(
              title: "100 coins", detail: "€ 0,99".isolated + " · " + day(19, in: texts), state: texts[.stateCancelled],
              stateClass: "plain", address: nil, refund: nil),
          ])
      ),
    ]
  }
}
