import ConformanceTable
import Foundation
import OnsideKit
import Testing

/// The functions of `window.onside`, and the results of their calls.
@MainActor
@Suite("Web pages: the object", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebSurfaceTests {
  private static let functions = [
    "cancelLogin", "cancelPurchase", "finishTransaction", "getAttributionMetadata", "getCurrentStorefront",
    "getEntitlements",
    "getOfferings", "getSignedEntitlements",
    "getSignedInAppsHistory", "getSubscriptionStatus", "getTransactions", "initializeOnside", "loadProducts", "logout",
    "presentCodeRedemption", "presentPaymentMethodsManager", "presentRefundRequest", "presentSubscriptionsManager",
    "purchase", "requestLogin", "restoreCompletedTransactions",
    "setAppAccountToken", "setAppearance", "setDefaultCountryCodeAssumption", "setShouldForceLocalLoginMethods",
    "trackEvent",
  ]
  private static let callbacks = [
    "onEntitlementsChanged", "onRestoreCompletedTransactionsFailedWithError", "onRestoreCompletedTransactionsFinished",
    "onStorefrontChanged",
    "onTransactionsRemoved", "onTransactionsRevoked", "onTransactionsUpdated", "shouldContinueTransaction",
    "shouldContinueTransactionAfterLogin",
  ]

  @Test("JSB-1: window.onside has the documented functions and callbacks; a page's tests can replace them")
  func shape() async throws {
    try await Web.run { web in
      let functions: [String] = try await web.page.value(
        "return Object.getOwnPropertyNames(onside).filter((name) => typeof onside[name] === 'function').sort()")
      #expect(functions == Self.functions)
      let callbacks: [String] = try await web.page.value(
        "return Object.getOwnPropertyNames(onside).filter((name) => onside[name] === undefined).sort()")
      #expect(callbacks == Self.callbacks)
      let replaced = try await web.page.json(
        """
        (() => {
          'use strict';
          const before = window.onside, { purchase } = before;
          before.purchase = () => 'fake';
          const fake = before.purchase();
          before.purchase = purchase;
          before.onStorefrontChanged = () => {};
          delete before.onStorefrontChanged;
          const isDeleted = !('onStorefrontChanged' in before);
          before.onStorefrontChanged = undefined;
          window.onside = { purchase: () => 'other' };
          const other = window.onside.purchase();
          window.onside = before;
          return [fake, isDeleted, other];
        })()
        """)
      #expect(replaced == #"["fake",true,"other"]"#)
    }
  }

  @Test("JSB-1: the type declarations name every function and callback")
  func declarations() async throws {
    for name in Self.functions + Self.callbacks {
      #expect(BridgeScript.typeDeclarations.contains(" \(name)"), "\(name)")
    }
  }

  @Test("JSB-2: setters and fire-and-forget calls return undefined, whatever they get, and leave no rejection over")
  func quiet() async throws {
    try await Web.run { web in
      let thrown: [String] = try await web.page.value(
        """
        const thrown = [];
        addEventListener('unhandledrejection', (event) => thrown.push(`unhandled ${event.reason}`));
        const cycle = {};
        cycle.self = cycle;
        const values = [undefined, null, 0, '', 'light', 'NL', true, {}, [], cycle, 10n, () => {}, Symbol('s'),
          { name: 'level_done', parameters: { level: 3, tags: ['a', 1, true] } }, { name: '' }, { name: 1 },
          { get name() { throw new Error('a getter'); } }, { toJSON() { throw new Error('toJSON'); } }];
        const quiet = ['setAppearance', 'setShouldForceLocalLoginMethods', 'setDefaultCountryCodeAssumption',
          'trackEvent', 'logout', 'cancelLogin'];
        for (const name of quiet) for (const value of values) {
          try {
            if (onside[name](value) !== undefined) thrown.push(`${name} returned something`);
          } catch (error) { thrown.push(`${name} threw ${error}`); }
        }
        await onside.getTransactions();
        await new Promise((resume) => setTimeout(resume, 50));
        return thrown;
        """)
      #expect(thrown == [])
    }
  }

  @Test("JSB-2: initializeOnside('v1') may be called, and called again; other versions are refused; it is optional")
  func initialization() async throws {
    try await Web.run { web in
      let refused = #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#
      let early = try await web.page.json("outcome(onside.getTransactions())")
      #expect(early == #"{"value":[]}"#)
      for version in ["'v1'", "'v1'", "'v2'", "''", "1", "null", "undefined", "{}", "'v1'"] {
        let outcome = try await web.page.json("outcome(onside.initializeOnside(\(version)))")
        #expect(outcome == (version == "'v1'" ? "{}" : refused), "\(version)")
      }
    }
  }

  /// A call, and its result.
  private static let outcomes: KeyValuePairs = [
    "onside.purchase({ productIdentifier: 'coins_100' })": #"{"rejection":{"unknownProduct":{}}}"#,
    "onside.purchase({ productIdentifier: '' })": #"{"rejection":{"unknownProduct":{}}}"#,
    "onside.finishTransaction('0199aa00-0000-7000-8000-000000000000')": #"{"rejection":{"unknownTransaction":{}}}"#,
    "onside.finishTransaction('no id at all')": #"{"rejection":{"unknownTransaction":{}}}"#,
    "onside.getSignedInAppsHistory()": #"{"rejection":{"notLoggedIn":{}}}"#,
    "onside.loadProducts({ productIdentifiers: ['not an identifier'] })":
      #"{"value":{"invalidProductIdentifiers":["not an identifier"],"products":[]}}"#,
    "onside.loadProducts({ productIdentifiers: ['unknown'] })":
      #"{"value":{"invalidProductIdentifiers":["unknown"],"products":[]}}"#,
    "onside.purchase({})": #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#,
    "onside.purchase()": #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#,
    "onside.purchase({ productIdentifier: 1 })": #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#,
    "onside.loadProducts({ productIdentifiers: 'coins_100' })":
      #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#,
    "onside.finishTransaction(7)": #"{"code":"invalidArguments","name":"OnsideBridgeError"}"#,
    "onside.purchase({ productIdentifier: 1n })": #"{"code":"parametersNotRepresentable","name":"OnsideBridgeError"}"#,
    "onside.finishTransaction(() => {})": #"{"code":"parametersNotRepresentable","name":"OnsideBridgeError"}"#,
    "onside.getCurrentStorefront()": #"{"value":null}"#,
    "onside.getAttributionMetadata()": #"{"value":{}}"#,
  ]

  @Test("JSB-3 JSB-4: every outcome is a value, { caseName: {} }, or an OnsideBridgeError with its code")
  func results() async throws {
    try await Web.run { web in
      for (call, expected) in Self.outcomes {
        let outcome = try await web.page.json("outcome(\(call))")
        #expect(outcome == expected, "\(call)")
      }
    }
  }

  @Test("JSB-3: without a network a call rejects with connectionError, and the next one goes through")
  func network() async throws {
    try await Web.run { web in
      web.system.goOffline()
      let load = "outcome(onside.loadProducts({ productIdentifiers: ['coins_100'] }))"
      let offline = try await web.page.json(load)
      #expect(offline == #"{"rejection":{"connectionError":{}}}"#)
      web.system.goOnline()
      let online = try await web.page.json("\(load).then(({ value }) => value.products.length)")
      #expect(online == "1")
    }
  }
}
