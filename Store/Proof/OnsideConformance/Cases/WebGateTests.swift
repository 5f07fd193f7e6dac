import ConformanceTable
import Foundation
import OnsideKit
import Testing

/// Callbacks and gates of pages.
@MainActor
@Suite("Web pages: callbacks and gates", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebGateTests {
  private static let gate = "shouldContinueTransactionAfterLogin"

  /// Values that a page may set as its gate after the login, and whether the purchase continues.
  private static let gates: KeyValuePairs = [
    "undefined": true,
    "null": true,
    "'no function'": true,
    "() => true": true,
    "() => {}": true,
    "() => 0": true,
    "() => ''": true,
    "() => { throw new Error('a mistake'); }": true,
    "async () => { throw new Error('a later mistake'); }": true,
    "() => false": false,
    "async () => false": false,
    "() => ({ then(resolve) { resolve(false); } })": false,
    "({ transaction }) => transaction.payment.product.productIdentifier === 'coins_100'": true,
  ]

  @Test("JSB-5: a gate says no by false only; missing, throwing or anything else says yes")
  func afterLogin() async throws {
    try await Web.run { web in
      try await web.load(ExampleProducts.coins)
      for (gate, goesOn) in Self.gates {
        try await web.page.run("await onside.logout()")
        try await web.page.until("onside.getCurrentStorefront().then((storefront) => storefront === null)")
        try await web.page.run("onside.\(Self.gate) = \(gate)")
        let outcome = goesOn ? "{}" : #"{"rejection":{"rejectedAfterLogin":{}}}"#
        let value = try await web.page.json(web.buying(ExampleProducts.coins))
        #expect(value == outcome, "\(gate)")
      }
    }
  }

  @Test("JSB-5: a page that hangs says no, and nothing is bought")
  func silence() async throws {
    var limits = BridgeLimits()
    limits.gateDeadline = 2
    try await Web.run(limits: limits) { web in
      try await web.load(ExampleProducts.coins)
      try await web.page.run(
        "onside.\(Self.gate) = () => { for (const end = Date.now() + 10000; Date.now() < end;); return true; };")
      let value = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(value == #"{"rejection":{"rejectedAfterLogin":{}}}"#)
      let sales = try await web.system.sales()
      #expect(sales.isEmpty)
    }
  }

  @Test("JSB-5: a page that answers its heartbeats may take longer than the deadline, and its answer counts")
  func patience() async throws {
    var limits = BridgeLimits()
    limits.gateDeadline = 6
    // A device of these tests shortens its pauses, and would expect an answer to each heartbeat within 60 ms.
    try await Web.run(limits: limits, configure: { $0.sleep = { try await Task.sleep(for: .seconds($0)) } }) { web in
      try await web.load(ExampleProducts.coins)
      try await web.page.run(
        """
        onside.\(Self.gate) = () => new Promise((resolve) => setTimeout(() => resolve(true), 9000));
        \(web.buying(ExampleProducts.coins)).then((outcome) => heard.push(outcome));
        """)
      try await web.page.until("heard.length === 1")
      let value = try await web.page.json("heard")
      #expect(value == "[{}]")
    }
  }

  @Test("JSB-5: the gate of the storefront is asked with transaction and storefront; a no removes the transaction")
  func storefront() async throws {
    try await Web.run { web in
      try await web.page.run(
        """
        await onside.setDefaultCountryCodeAssumption('GB');
        onside.shouldContinueTransaction = ({ transaction, storefront }) => {
          heard.push(['gate', transaction.storefront.countryCode, storefront.countryCode]);
          return false;
        };
        listen('onTransactionsRemoved');
        """)
      try await web.load(ExampleProducts.coins)
      let value = try await web.page.json(web.buying(ExampleProducts.coins))
      #expect(value == "{}")
      try await web.page.until("heard.some(([name]) => name === 'onTransactionsRemoved')")
      let secondValue = try await web.page.json("heard[0]")
      #expect(secondValue == #"["gate","GB","NL"]"#)
      let sales = try await web.system.sales()
      #expect(sales.isEmpty)
    }
  }

  @Test("JSB-5: only own properties are called, with window.onside as this; a handler may throw")
  func handlers() async throws {
    try await Web.run { web in
      try await web.page.run(
        """
        Object.prototype.onStorefrontChanged = () => heard.push(['inherited']);
        await onside.requestLogin();
        await onside.getTransactions();
        console.error = () => heard.push(['reported']);
        onside.onStorefrontChanged = function (storefront) {
          heard.push([this === onside, storefront && storefront.countryCode]);
          throw new Error('a mistake');
        };
        await onside.logout();
        await until(() => heard.length === 1);
        await onside.requestLogin();
        await until(() => heard.length === 2);
        delete Object.prototype.onStorefrontChanged;
        """)
      let value = try await web.page.json("heard")
      #expect(value == "[[true,null],[true,\"NL\"]]")
    }
  }
}
