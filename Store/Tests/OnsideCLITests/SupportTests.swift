import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

/// Commands for support: orders, refunds and accounts.
@Suite(.timeLimit(.minutes(5))) struct SupportTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test("An order is listed, shown and refunded while the store serves, and the app gets the refund")
  func orders() async throws {
    let shop = try await Shop(onside.folder)
    let (program, client) = try await onside.serve(shop)
    let id = OrderID(UUID())
    _ = try await client.order(id)
    let early = try await onside.run("order", "refund", id.description)
    #expect(early.status == 1)
    #expect(early.errors.hasPrefix("Error: expected an order that is paid and not refunded, but \(id): "))
    try await client.pay(id)
    let output = try await onside.run("order", "list", "--app", Shop.app).output
    #expect(output.contains("\(id)  paid   gold     0.99 EUR"))
    for wrong in ["1.00", "0.001", "-0.10", "half"] {
      let refused = try await onside.run("refund", id.description, "--amount=\(wrong)")
      #expect(refused.status == 1 && refused.errors.hasPrefix("Error: --amount: expected an amount"), "\(wrong)")
    }
    let part = try await onside.run("refund", id.description, "--amount", "0.49")
    #expect(
      part.status == 0 && part.output.contains("refund        0.49 EUR, REFUND, by the operator"), "\(part.errors)")
    let revokedAt = try await client.get(id).revokedAt
    #expect(revokedAt == nil)
    let refund = try await onside.run("order", "refund", id.description, "--reason", "support")
    #expect(refund.status == 0 && refund.output.contains("revoked"), "\(refund.errors)")
    let order = try await client.get(id)
    #expect(order.revokedAt != nil && order.revocationReason == .support)
    let unknown = try await onside.run("order", "show", "none")
    #expect(unknown.status == 1 && unknown.errors.contains("expected the id of an order, got \"none\""))
    await program.stopCleanly()
  }

  @Test(
    "SEC-7: a buyer's request is listed, shown with the purchase's story, and declined or granted while the store serves"
  )
  func refundRequests() async throws {
    let shop = try await Shop(onside.folder)
    let (program, client) = try await onside.serve(shop)
    let output = try await onside.run("refund-request", "list").output
    #expect(output.contains("There are no such requests."))
    let ids = [OrderID(UUID()), OrderID(UUID())]
    for id in ids {
      _ = try await client.order(id)
      try await client.pay(id)
      let none = try await onside.run("refund-request", "show", id.description)
      #expect(none.status == 1 && none.errors.contains("expected an order whose buyer has asked"), "\(none.errors)")
      try await client.askForRefund(id)
    }
    let shown = try await onside.run("refund-request", "show", ids[0].description)
    for part in [
      "request       waiting", "reason        not_delivered",
      "note          Where is\nnote          my gold?\\u{202E}!",
      "price         0.99 EUR", "story\n", "buyer asked for a refund (not_delivered)",
    ] { #expect(shown.output.contains(part), "\(part): \(shown.output) \(shown.errors)") }
    let declined = try await onside.run("refund-request", "decline", ids[0].description)
    #expect(declined.status == 0 && declined.output.hasPrefix("request       declined 20"), "\(declined.errors)")
    let again = try await onside.run("refund-request", "decline", ids[0].description)
    #expect(again.status == 1 && again.errors.contains("it is declined"), "\(again.errors)")
    let waiting = try await onside.run("refund-request", "list", "--state", "waiting").output
    #expect(waiting.contains("\(ids[1])  waiting") && !waiting.contains(ids[0].description))
    let status = try await onside.run("refund", ids[1].description).status
    #expect(status == 0)
    let secondOutput = try await onside.run("refund-request", "list", "--state", "granted").output
    #expect(secondOutput.contains(ids[1].description))
    await program.stopCleanly()
  }

  @Test("SEC-1: an account is shown without its phone number, and moved to another region")
  func accounts() async throws {
    _ = try await Shop(onside.folder)
    let moved = try await onside.run("account", "region", Shop.account, "DE")
    #expect(moved.status == 0 && moved.output.contains("DE"))
    for command in [["account", "list"], ["account", "show", Shop.account]] {
      let outcome = try await onside.run(command)
      #expect(outcome.output.contains("\(Shop.account)  DE"))
      #expect(!outcome.output.contains("612345678"))
    }
    let wrong = try await onside.run("account", "region", Shop.account, "Germany")
    #expect(wrong.status == 1 && wrong.errors.contains("got \"Germany\""))
  }

  @Test("SEC-1: an account is found by the number or address that logs in to it, which is shown masked")
  func find() async throws {
    _ = try await Shop(onside.folder)
    for contact in ["+31 6 12 34 56 78", "0031612345678"] {
      let found = try await onside.run("account", "find", contact)
      #expect(found.status == 0 && found.output.contains("\(Shop.account)  NL"), "\(found.errors)")
      #expect(found.output.contains("logs in with  •••• 78\n") && !found.output.contains("612345678"))
      #expect(found.output.contains("There are no such subscriptions.\n\nThere are no such orders.\n"))
    }
    let typed = try await onside.run(["account", "find", "-"], input: "+31612345678\n")
    let shown = try await onside.run("account", "show", Shop.account)
    #expect(typed.output == shown.output)
    let other = try await onside.run("account", "find", "Anna@Example.org")
    #expect(other.status == 1 && other.errors.contains("none has this one"), "\(other.errors)")
    #expect(!other.errors.lowercased().contains("anna"))
    let neither = try await onside.run("account", "find", "anna")
    #expect(neither.status == 1 && neither.errors.contains("expected a phone number with its country code"))
  }

  @Test("Subscriptions are listed, and one that is not there is not advanced")
  func subscriptions() async throws {
    _ = try await Shop(onside.folder)
    let output = try await onside.run("subscription", "list").output
    #expect(output.contains("There are no such subscriptions."))
    let none = try await onside.run(
      "subscription", "advance", Shop.account, "--app", Shop.app, "--group", "none")
    #expect(none.status == 1 && none.errors.contains("expected a subscription that waits for something"))
    let other = try await onside.run("subscription", "reprice", "--app", Shop.app, "--product", "nothing", "--dry-run")
    #expect(other.status == 1 && other.errors.contains("--product: expected a subscription that"))
    for (options, error) in [
      (["--from", "31.1.2027"], "--from: expected a day such as 2027-01-31"),
      (["--notice", "366"], "--notice: expected 0 to 365 days"),
      (["--rules", "rules.json", "--consent", "always"], "--rules: expected --consent rules"),
    ] {
      let wrong = try await onside.run(
        ["subscription", "reprice", "--app", Shop.app, "--product", "nothing"] + options)
      #expect(wrong.status != 0 && wrong.errors.contains(error), "\(wrong.errors)")
    }
  }
}
