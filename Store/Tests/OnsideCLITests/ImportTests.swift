import Foundation
import StoreTestSupport
import Testing

/// What an import checks in a catalogue, and how it prints the differences from the one before.
@Suite("Imports", .timeLimit(.minutes(5))) struct ImportTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// A plan of 3.99 EUR in the Netherlands, or with other values.
  private static func plan(
    _ id: String, group: String = "plans", name: String = "Plans", period: String = "P1M", price: Int = 399,
    offers: String = "", isShared: Bool = false
  ) -> String {
    """
    {"id": "\(id)", "kind": "AUTO_RENEWABLE_SUBSCRIPTION", "referenceName": "", "localizations": [],
      "familyShareable": \(isShared), "prices": {"NL": {"amount": \(price), "currency": "EUR"}},
      "subscription": {"groupID": "\(group)", "groupName": "\(name)", "level": 1, "period": "\(period)",
        "offers": [\(offers)]}}
    """
  }

  private static func offer(_ id: String, price: Int) -> String {
    #"{"id": "\#(id)", "kind": "PROMOTIONAL", "mode": "PAY_UP_FRONT", "period": "P1M", "periodCount": 1,"#
      + #" "prices": {"NL": {"amount": \#(price), "currency": "EUR"}}}"#
  }

  private func run(_ products: [String], _ arguments: String...) async throws -> Program.Outcome {
    let list = products.joined(separator: ", ")
    try onside.folder.write("c.json", text: #"{"default_language": "nl", "products": [\#(list)]}"#)
    return try await onside.run(["import", "c.json", "--app", "a.b"] + arguments)
  }

  @Test("An import warns of a price that the payment provider cannot charge, and doctor lists it")
  func unchargeable() async throws {
    let stripe = [
      "ONSIDE_PAYMENTS_PROVIDER": "stripe", "ONSIDE_PAYMENTS_STRIPE_SECRET_KEY": "sk_test_1",
      "ONSIDE_PAYMENTS_STRIPE_PUBLISHABLE_KEY": "pk_test_1", "ONSIDE_PAYMENTS_STRIPE_WEBHOOK_SECRET": "whsec_1",
    ]
    let products = [Self.plan("pro", offers: Self.offer("spring", price: 49)), Self.plan("mini", price: 1)].joined(
      separator: ", ")
    try onside.folder.write("c.json", text: #"{"default_language": "nl", "products": [\#(products)]}"#)
    let outcome = try await onside.run(["import", "c.json", "--app", "a.b"], environment: stripe)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let problems = ["pro, offer spring, in NL", "mini in NL"].map {
      "\($0): expected 0.50 EUR or more, as stripe charges"
    }
    for problem in problems { #expect(outcome.output.contains("warning  \(problem), got 0."), "\(outcome.output)") }
    #expect(outcome.output.components(separatedBy: "warning").count == 3)
    let doctor = try await onside.run(["doctor"], environment: stripe).output
    #expect(doctor.contains("FAIL  prices: 2 may not be chargeable: a.b: "), "\(doctor)")
    for problem in problems { #expect(doctor.contains(problem)) }
    let sandbox = try await run([Self.plan("mini", price: 1)])
    #expect(!sandbox.output.contains("warning"))
  }

  @Test("A dry run prints added and removed products and changed prices, terms and offers, and imports nothing")
  func dryRun() async throws {
    let none = try await run([Self.plan("pro")], "--dry-run")
    #expect(none.status == 1 && none.errors.contains("expected"), "\(none)")
    let first = try await run([
      Self.plan("pro", offers: Self.offer("spring", price: 99) + ", " + Self.offer("autumn", price: 99)),
      Self.plan("old"),
    ])
    #expect(first.output == "a.b now sells 2 products in 1 country.\n", "\(first)")
    let changed = [
      Self.plan("new"),
      Self.plan(
        "pro", period: "P1Y", price: 499,
        offers: Self.offer("spring", price: 199) + ", " + Self.offer("winter", price: 1)),
    ]
    let differences = """
      added    new
      removed  old
      changed  pro: period P1M → P1Y
      changed  pro: price NL 3.99 EUR → 4.99 EUR
      changed  pro: offer autumn removed
      changed  pro: offer spring price NL 0.99 EUR → 1.99 EUR
      changed  pro: offer winter added

      """
    let trial = try await run(changed, "--dry-run")
    #expect(trial.status == 0)
    #expect(trial.output == differences + "Nothing was imported. a.b would sell 2 products in 1 country.\n")
    let real = try await run(changed)
    #expect(real.output == differences + "a.b now sells 2 products in 1 country.\n")
    let same = try await run(changed, "--dry-run")
    #expect(same.output == "Nothing was imported. a.b would sell 2 products in 1 country.\n")
  }

  @Test("LOC-6: an offer id that no order can name, two names of a group, and a broken group id stop an import")
  func identifiers() async throws {
    let outcome = try await run([
      Self.plan("a", offers: Self.offer("50 % off", price: 1)), Self.plan("b", group: "g", name: "One"),
      Self.plan("c", group: "g", name: "Two"), Self.plan("d", group: ""),
    ])
    #expect(outcome.status == 1)
    let expected = [
      #"products[0].subscription.offers[0].id: expected a string of 1 to 255 letters, digits, dots, dashes and "#
        + #"underscores, got "50 % off""#,
      #"products[1].subscription.groupName: expected one name of the group "g", got "One", "Two""#,
      #"products[3].subscription.groupID: expected 1 to 255 bytes without control characters, got """#,
    ]
    for text in expected { #expect(outcome.errors.contains(text), "\(outcome.errors)") }
  }

  @Test("LOC-6: a key that an object of a catalogue in JSON has twice stops the import with line and column")
  func repeatedKey() async throws {
    let text = Self.plan("a").replacing(#""prices":"#, with: #""id": "b", "prices":"#)
    let outcome = try await run([text], "--skip-invalid")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(/c\.json:2:\d+: expected a key that the object does not have yet, got "id" again/),
      "\(outcome.errors)")
  }

  @Test("LOC-6: an import notes familyShareable")
  func families() async throws {
    let outcome = try await run([Self.plan("a", isShared: true)])
    #expect(outcome.status == 0)
    #expect(
      outcome.output.hasPrefix(
        "ignored  c.json: products[0].familyShareable: expected false: families share no purchases"),
      "\(outcome)")
  }
}
