import Foundation
import OnsideKit
import ScriptedBrowser
import StoreTestSupport
import Testing

/// A device with the README's app, as a process with a folder of its own.
@MainActor
struct ShopDevice {
  let user: SimulatedUser
  private(set) var process: DeviceProcess
  private let folder: TemporaryFolder
  private let system: TestedSystem

  init(of user: SimulatedUser, in folder: TemporaryFolder, _ system: TestedSystem) throws {
    (self.user, self.folder, self.system) = (user, folder, system)
    process = try DeviceProcess(system, in: folder, shop: folder.file("shop.json"))
  }

  /// A device on which a user is logged in: the first one of the system unless one is given.
  static func signedIn(_ system: TestedSystem, as user: SimulatedUser? = nil) async throws -> ShopDevice {
    let user = user ?? system.user()
    let device = try await system.signedInDevice(of: user, observed: false)
    await device.close()
    return try ShopDevice(of: user, in: device.folder, system)
  }

  /// Ends the app as a kill would, if it runs, and starts it again on the same folder.
  mutating func restart() async throws {
    process.kill()
    try await process.end.until { $0 != nil }
    process = try DeviceProcess(system, in: folder, shop: folder.file("shop.json"))
  }

  func buy(_ product: String = ExampleProducts.coins) { process.send("buy \(product)") }

  /// The page that the process has shown as its nth.
  func visit(_ screen: OnsideScreen, page number: Int) async throws -> Visit {
    try await wait(for: "page \(number)") { $0.count { $0.first == "open" } >= number }
    let pages = process.lines.value.filter { $0.first == "open" }.map { $0[1] }
    let address = try #require(URL(string: pages[number - 1]))
    let redirect = address.values(of: "return_uri").first.flatMap { URL(string: $0) }
    return Visit(screen: screen, address: address, redirect: redirect ?? address, user: user)
  }

  /// Follows the redirect of a page into the process, as the user's browser does.
  func enter(_ outcome: ScreenOutcome, of visit: Visit) async throws {
    guard case .redirected(let redirect) = outcome else {
      throw BrowserFailure("expected a redirect into the app from \(visit.address.path), got \(outcome)")
    }
    _ = try await visit.browser.open(redirect)
  }

  /// Pays on a page. An error of the return to a device that was killed or is offline is ignored.
  func pay(page number: Int) async throws {
    let visit = try await visit(.payment, page: number)
    let page = try await visit.open()
    _ = try? await visit.paid(with: "succeeds", on: page)
  }

  /// Waits for the results of all calls, in any order.
  func results(are expected: String...) async throws {
    try await wait(for: "\(expected.count) results") { $0.count { $0.first == "result" } >= expected.count }
    #expect(process.lines.value.filter { $0.first == "result" }.map { $0[1] }.sorted() == expected)
  }

  /// Waits until the app was given this number of purchases.
  func purchases(are count: Int) async throws {
    try await wait(for: "\(count) purchases") { $0.count { $0.first == "updated" && $0[2] == "purchased" } >= count }
  }

  func coins() async throws -> Int {
    let known = process.lines.value.count { $0.first == "coins" }
    process.send("coins")
    try await wait(for: "the number of coins") { $0.count { $0.first == "coins" } > known }
    return try #require(Int(process.lines.value.last { $0.first == "coins" }?[1] ?? ""))
  }

  /// Waits for lines of the process; the error at the deadline has all of them.
  private func wait(for what: String, until hasCome: ([[String]]) -> Bool) async throws {
    do {
      try await NamedDeadline.wait(for: what) { hasCome(process.lines.value) }
    } catch let error as NamedDeadline {
      throw DeviceProcess.Ended(description: "\(error); the device wrote \(process.lines.value)")
    }
  }
}

extension DeviceProcess {
  /// The ids of the revoked purchases that the app was given.
  var revoked: [String] { lines.value.filter { $0.first == "revoked" }.map { $0[1] } }
}
