import Foundation
import HeadlessChromium
import StoreTestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Puts localstripe, a store and a buyer's browser on; prints a line for every step.
final class StripeStage {
  private static let secretKey = "sk_test_12345"
  private static let webhookSecret = "whsec_local"

  private let folder: URL
  private let onside: URL
  private let pictures: String?
  private var proved = 0
  private var stripe: DemoProcess?
  private var stripeAddress = ""
  private var store: StoreProcess?

  init(folder: URL, onside: URL, pictures: String?) {
    (self.folder, self.onside, self.pictures) = (folder, onside, pictures)
  }

  /// Starts localstripe. The store and its commands find it by their environment.
  func startStripe(python: URL, script: String) async throws {
    let process = try DemoProcess(
      python, arguments: ["-B", script], in: folder, errors: folder.appending(path: "stripe.log"))
    stripe = process
    var lines = process.lines.makeAsyncIterator()
    guard let port = await lines.next().flatMap({ Int($0) }) else {
      throw DemoFailure("localstripe did not start: exit \(process.exitStatus())")
    }
    stripeAddress = "http://127.0.0.1:\(port)"
    let environment = [
      "ONSIDE_PAYMENTS_PROVIDER": "stripe", "ONSIDE_PAYMENTS_STRIPE_SECRET_KEY": Self.secretKey,
      "ONSIDE_PAYMENTS_STRIPE_PUBLISHABLE_KEY": "pk_test_12345",
      "ONSIDE_PAYMENTS_STRIPE_WEBHOOK_SECRET": Self.webhookSecret,
      "ONSIDE_PAYMENTS_STRIPE_API_ADDRESS": stripeAddress,
      "ONSIDE_PAYMENTS_STRIPE_SCRIPT_ADDRESS": stripeAddress + "/js.stripe.com/v3/",
    ]
    for (name, value) in environment { setenv(name, value, 1) }
    say("provider", proof: "localstripe answers at \(stripeAddress)")
  }

  /// Plays every step.
  func play(catalogue: String, prices: String) async throws {
    _ = try run(["import", catalogue, "--prices", prices, "--app", Stage.app, "--name", "Lumen"])
    _ = try run(["tax", "import", "--eu"])
    let store = try await StoreProcess.start(onside, in: folder)
    self.store = store
    try await sendWebhooks(to: "\(store.address.absoluteString)/providers/stripe/events")
    say("store", proof: "answers at \(store.address.absoluteString), with the European Union's tax rates")
    let chromium = try await Chromium.start()
    do {
      try await chromium.show(width: 390)
      try await playDevice(with: StripeBuyer(chromium: chromium, store: store, pictures: pictures), at: store)
      await chromium.stop()
    } catch {
      await chromium.stop()
      throw error
    }
    try checkBooks()
  }

  /// Stops the store and sums up.
  func close() async throws {
    let status = await store?.stop()
    stripe?.kill()
    try expect(status == 0, "the store stopped with exit status \(status ?? -1)")
    print("\nAll \(proved) steps proved.")
  }

  /// Ends what still runs and tells where to look.
  func giveUp() async {
    _ = await store?.stop()
    stripe?.kill()
    for log in ["store.log", "stripe.log", "device.log"] {
      let text = (try? String(contentsOf: folder.appending(path: log), encoding: .utf8)) ?? ""
      if !text.isEmpty { print("--- \(log)\n\(text.suffix(2000))") }
    }
  }

  /// Runs the app on a device of its own; its user does in the browser what the app asks for.
  private func playDevice(with buyer: StripeBuyer, at store: StoreProcess) async throws {
    let process = try DemoProcess(
      onside.deletingLastPathComponent().appending(path: "onside-demo"),
      arguments: [
        "session", "stripe", "--store", store.address.absoluteString, "--storage",
        folder.appending(path: "device").path,
      ],
      in: folder, errors: folder.appending(path: "device.log"))
    for await line in process.lines {
      if let address = line.firstMatch(of: /^http:\/\/\S+$/).flatMap({ URL(string: String($0.0)) }) {
        print("    · the buyer \(try await buyer.visit(address))")
      } else if let report = Report.parse(line), report.count > 1 {
        report[0] == "refund" ? try await refundPart(of: report[1]) : say(report[1], proof: report.last ?? "")
      }
    }
    try expect(process.exitStatus() == 0, "the device ended with status \(process.exitStatus())")
  }

  private func refundPart(of id: String) async throws {
    _ = try run(["refund", id, "--amount", "0.40"])
    for _ in 0..<100 {
      let order = try run(["order", "show", id])
      if let line = order.firstMatch(of: /(?m)^refund +(.*settled.*)$/) {
        return say("refund of a part", proof: String(line.1))
      }
      try await Task.sleep(for: .milliseconds(200))
    }
    throw DemoFailure("the refund did not settle: \(try run(["order", "show", id]))")
  }

  /// Exports the ledger, and lets hledger read it.
  private func checkBooks() throws {
    _ = try run(["ledger", "export", "--output", "store.journal"])
    let hledger = URL(filePath: "/usr/bin/hledger")
    _ = try DemoProcess.run(
      hledger, arguments: ["--file", "store.journal", "check", "--strict", "ordereddates"], in: folder)
    let sheet = try DemoProcess.run(hledger, arguments: ["--file", "store.journal", "balancesheet"], in: folder)
    say("books", proof: "hledger has checked the exported ledger; its balance sheet:")
    print(sheet)
  }

  private func run(_ arguments: [String]) throws -> String {
    try DemoProcess.run(onside, arguments: arguments, in: folder)
  }

  /// Tells localstripe where the store hears of payments.
  private func sendWebhooks(to address: String) async throws {
    guard let url = URL(string: stripeAddress + "/_config/webhooks/store") else { return }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("Bearer \(Self.secretKey)", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(
      #"{"url":"\#(address)","secret":"\#(Self.webhookSecret)","events":["payment_intent.succeeded"]}"#.utf8)
    let (_, response) = try await URLSession.shared.answer(to: request)
    try expect((response as? HTTPURLResponse)?.statusCode == 200, "localstripe does not take the webhook's address")
  }

  private func say(_ title: String, proof: String) {
    proved += 1
    print("✔ \(title): \(proof)")
  }
}
