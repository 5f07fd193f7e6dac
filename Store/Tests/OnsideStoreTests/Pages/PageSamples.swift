import OnsideCommerce

@testable import OnsideStore

/// Every page in every state that looks different, for the checks that all pages must pass.
enum PageSamples {
  static func all(_ language: Language) -> [(name: String, page: any Page)] {
    let texts = Texts(language)
    return site(texts) + login(texts) + payment(texts) + account(texts)
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
      ("shop", shop(texts, choosesRegion: true)), ("shop-account", shop(texts, choosesRegion: false)),
      ("landing", landing(texts, isInstallable: true)), ("landing-none", landing(texts, isInstallable: false)),
      ("problem", PageProblem.notFound.page(texts)), ("problem-login", PageProblem.otherBrowser.page(texts)),
      ("problem-wait", PageProblem.wait(seconds: 754).page(texts)),
    ]
  }

  private static func shop(_ texts: Texts, choosesRegion: Bool) -> ShopPage {
    ShopPage(
      appName: "Lumen", appInitial: "L", path: "/shop/io.example.lumen",
      lead: texts(.shopLead, ["country": "Nederland"]), country: "NL",
      products: [
        .init(
          id: "coins.100", title: "100 coins", description: "A handful of light for rainy days.",
          kind: texts[.kindConsumable], price: "€ 0,99", rhythm: nil, offer: nil, buyLabel: texts[.shopBuy],
          orderID: "0198c0de-0000-7000-8000-000000000001"),
        .init(
          id: "themes", title: "Night themes", description: "Twelve dark themes, yours to keep on every device.",
          kind: texts[.kindNonConsumable], price: "€ 4,99", rhythm: nil, offer: nil, buyLabel: texts[.shopBuy],
          orderID: "0198c0de-0000-7000-8000-000000000002"),
        .init(
          id: "plus", title: "Lumen Plus", description: "Everything in Lumen, without limits.",
          kind: texts[.kindSubscription], price: "€ 9,99", rhythm: texts.rhythm(.oneMonth),
          offer: texts(.offerFree, ["duration": texts.length(.oneWeek), "price": "€ 9,99"]),
          buyLabel: texts[.shopSubscribe], orderID: "0198c0de-0000-7000-8000-000000000003"),
      ],
      choosesRegion: choosesRegion, regions: PageOption.regions(texts.language, chosen: .netherlands))
  }

  private static func landing(_ texts: Texts, isInstallable: Bool) -> LandingPage {
    let words = ["app": "Lumen"]
    return LandingPage(
      appInitial: "L", heading: texts(.landTitle, words), lead: texts(.landLead, words),
      installLabel: texts(.landInstall, words), next: texts(.landNext, words), note: texts(.landNote, words),
      action: isInstallable ? "/a/io.example.lumen/install" : nil, visit: "v", shopPath: "/shop/io.example.lumen")
  }

  private static func login(_ texts: Texts) -> [(String, any Page)] {
    let number = "+31\u{00A0}612\u{00A0}345\u{00A0}689".isolated
    func link(_ key: TextKey, _ address: String, _ words: [String: String] = [:]) -> PageLink {
      PageLink(label: texts(key, words), address: address)
    }
    let provider = link(.wayContinue, "/login/a/with/example", ["name": "Example ID".isolated])
    func phone(_ error: String?) -> PhonePage {
      PhonePage(
        heading: texts[.phoneTitle], lead: texts(.phoneLeadApp, ["app": "Lumen"]),
        hint: texts(.phoneHint, ["example": PhoneExample.number("31").isolated]),
        value: error == nil ? "" : "0612345689", error: error, action: "/login/a",
        links: [link(.emailInstead, "/login/a?number=other&with=email"), provider], cancelAction: "/login/a/cancel")
    }
    func email(_ error: String?) -> EmailPage {
      EmailPage(
        heading: texts[.loginsAdd], lead: texts(.emailLeadApp, ["app": "Lumen"]),
        value: error == nil ? "" : "ann at example.org", error: error,
        action: "/login/a", links: [link(.phoneInstead, "/login/a?number=other&with=phone"), provider],
        cancelAction: "/login/a/cancel")
    }
    func code(_ error: String?, _ note: String?) -> CodePage {
      CodePage(
        lead: texts(.codeLead, ["number": number]), error: error, note: note,
        resendWait: texts(.codeResendWait, ["wait": texts.wait(28)]), action: "/login/a/code",
        resendAction: "/login/a/resend", changeAddress: "/login/a?number=other",
        changeLabel: texts[.codeChange], cancelAction: "/login/a/cancel")
    }
    return [
      (
        "ways",
        WaysPage(
          heading: texts[.phoneTitle], lead: texts(.waysLeadApp, ["app": "Lumen"]), links: [provider],
          cancelAction: "/login/a/cancel")
      ),
      (
        "way-failed",
        LoginRefusedPage(
          heading: texts(.wayFailedTitle, ["name": "Example ID".isolated]),
          text: texts(.wayBroken, ["name": "Example ID".isolated]), backAddress: "/login/a?number=other",
          backLabel: texts[.wayOther])
      ),
      ("wallet", wallet(texts, nil)), ("wallet-error", wallet(texts, texts[.walletAddressWrong])),
      ("wallet-sign", challenge(texts, nil)), ("wallet-sign-error", challenge(texts, texts[.walletWrong])),
      ("phone", phone(nil)), ("email", email(nil)), ("email-error", email(texts.describe(.unexpected(" ")))),
      ("phone-error", phone(texts.describe(.noCountryCode, example: PhoneExample.number("31").isolated))),
      (
        "continue",
        ContinuePage(
          lead: texts[.continueLead],
          continueLabel: texts(.continueAs, ["number": "•••• 89".isolated]), action: "/login/a/continue",
          otherAddress: "/login/a?number=other", cancelAction: "/login/a/cancel")
      ),
      ("consent", consent(texts)), ("code", code(nil, nil)), ("code-error", code(texts[.codeWrong], nil)),
      ("code-again", code(nil, texts[.codeSentAgain])),
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

  private static func wallet(_ texts: Texts, _ error: String?) -> WalletAddressPage {
    WalletAddressPage(
      heading: texts[.phoneTitle], value: error == nil ? "" : "GA7QYNF7", error: error, action: "/login/a/wallet",
      otherAddress: "/login/a?number=other", cancelAction: "/login/a/cancel")
  }

  private static func challenge(_ texts: Texts, _ error: String?) -> WalletChallengePage {
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
      addressNote: texts[.consentToApp], purchases: texts(.consentPurchases, words), account: "a",
      continueLabel: texts(.continueAs, words), action: "/login/a/continue", otherAddress: "/login/a?number=other",
      cancelAction: "/login/a/cancel")
  }

  private static func payment(_ texts: Texts) -> [(String, any Page)] {
    func pay(_ error: String?, _ change: String?) -> CheckoutPage {
      CheckoutPage(
        lead: texts(.payLead, ["app": "Lumen"]), productTitle: "Lumen Plus",
        productDescription: "Everything in Lumen, without limits.", region: "Nederland", quantity: nil, price: "€ 9,99",
        shownPrice: "999 EUR", subscription: texts(.paySubscription, ["price": "€ 9,99 " + texts.rhythm(.oneMonth)]),
        payLabel: texts(.paySubmit, ["price": "€ 9,99"]), priceChanged: change, error: error,
        choices: [
          .init(
            value: "saved", name: texts[.cardSucceeds], note: texts(.cardNote, ["brand": "Visa", "digits": "4242"]),
            isChosen: true,
            isDefault: true),
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
        ], maySave: true, action: "/pay/t", cancelAction: "/pay/t/cancel")
    }
    return [
      ("pay", pay(nil, nil)), ("pay-declined", pay(texts[.payDeclined], nil)),
      ("pay-changed", pay(nil, texts[.payPriceChanged] + " " + texts(.payWas, ["price": "€ 8,99"]))),
      ("second-step", SecondStepPage(payee: "Onside", price: "€ 9,99", action: "/pay/t/second-step")),
      (
        "pending",
        PendingPage(
          address: "/pay/t", backAddress: "io.example.lumen://onside", backLabel: texts(.backToApp, ["app": "Lumen"]))
      ),
      (
        "closed",
        ClosedPage(
          text: texts[.closedExpired], backAddress: "io.example.lumen://onside",
          backLabel: texts(.backToApp, ["app": "Lumen"]))
      ),
      ("receipt", receipt(texts, isRefunded: false)), ("receipt-refunded", receipt(texts, isRefunded: true)),
    ]
  }

  private static func receipt(_ texts: Texts, isRefunded: Bool) -> ReceiptPage {
    ReceiptPage(
      heading: texts[isRefunded ? .accountReceipt : .receiptTitle],
      lead: texts[isRefunded ? .receiptRefunded : .receiptLead], isRefunded: isRefunded, product: "Lumen Plus",
      price: "€ 9,99", date: "20 Nov 2026",
      orderID: "0198c0de-1234-7abc-8def-0123456789ab", keysAddress: "https://store.example/.well-known/jwks.json",
      receipt: "eyJhbGciOiJFUzI1NiJ9.eyJvcmRlcl9pZCI6IjAxOThjMGRlIn0.c2lnbmF0dXJl",
      backAddress: "io.example.lumen://onside", backLabel: texts(.backToApp, ["app": "Lumen"]))
  }

  private static func logins(_ texts: Texts, isProved: Bool, isOnly: Bool) -> LoginsPage {
    let since = texts(.loginsSince, ["date": "1 Nov 2026"])
    let phone = LoginsPage.Login(id: "1", title: texts[.loginsPhone], detail: "•••• 89", since: since)
    let others = [
      LoginsPage.Login(id: "2", title: texts[.loginsEmail], detail: "a•••@example.org", since: since),
      LoginsPage.Login(id: "3", title: "Example ID", detail: "a•••@example.org", since: since),
    ]
    return LoginsPage(
      isProved: isProved, notice: isOnly || !isProved ? nil : texts[.loginsAdded],
      error: isOnly ? texts[.loginsLast] : nil, logins: isOnly ? [phone] : [phone] + others)
  }

  private static func account(_ texts: Texts) -> [(String, any Page)] {
    let choices = [
      PageOption(value: "succeeds", label: texts[.cardSucceeds], isChosen: true),
      PageOption(value: "declines", label: texts[.cardDeclined]),
    ]
    func methods(_ methods: [MethodsPage.Method]) -> MethodsPage {
      MethodsPage(methods: methods, choices: choices, action: "/methods/t", doneAction: "/methods/t/done")
    }
    func account(_ saved: String?, _ error: String?, _ purchases: [AccountPage.Purchase]) -> AccountPage {
      AccountPage(
        number: "•••• 89", regions: PageOption.regions(texts.language, chosen: .netherlands), saved: saved,
        error: error,
        sessions: [
          .init(
            id: "browser:1", title: texts[.sessionsBrowser], device: "Firefox, Linux",
            times: texts(.sessionsTimes, ["since": "1 Nov 2026", "used": "20 Nov 2026"]), isCurrent: true),
          .init(
            id: "app:1", title: "Lumen", device: texts[.sessionsUnknown],
            times: texts(.sessionsTimes, ["since": "3 Nov 2026", "used": "19 Nov 2026"]), isCurrent: false),
        ], purchases: purchases)
    }
    let words = ["country": "Deutschland"]
    return [
      (
        "account-move",
        RegionChangePage(
          heading: texts(.moveTitle, words), lead: texts(.moveLead, ["country": "Nederland"]),
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
      ("methods-empty", methods([])),
      (
        "methods",
        methods([
          .init(
            id: "1", name: texts[.cardSucceeds], note: texts(.cardNote, ["brand": "Visa", "digits": "0001"]),
            isDefault: true),
          .init(
            id: "2", name: texts[.cardSecondStep], note: texts(.cardNote, ["brand": "Visa", "digits": "0003"]),
            isDefault: false),
        ])
      ),
      ("account-empty", account(nil, texts[.regionUnknown], [])),
      (
        "account",
        account(
          texts(.accountSaved, ["country": "Nederland"]), nil,
          [
            .init(
              title: "Lumen Plus", detail: "€ 9,99 · 20 Nov 2026", state: texts[.statePaid], stateClass: "good",
              address: "/receipt/t"),
            .init(
              title: "100 coins", detail: "€ 0,99 · 19 Nov 2026", state: texts[.stateCancelled], stateClass: "plain",
              address: nil),
          ])
      ),
    ]
  }
}
