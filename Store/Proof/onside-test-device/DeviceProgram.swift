import Foundation
import OnsideCommerce
import OnsideKit
import Synchronization

/// A device in a process of its own, so that tests can kill it. It reads one command per line and writes one line for
/// everything it hears; where the store is, who the app is and where the storage is, the environment says.
@main
@MainActor
final class DeviceProgram {
  private let client: OnsideClient
  private let app = Reporter()
  private let clock: Clock

  /// How far the device's clock is ahead, in seconds.
  private final class Clock: Sendable {
    let ahead = Mutex(0.0)
  }

  static func main() async {
    do {
      if let file = ProcessInfo.processInfo.environment["ONSIDE_SHOP_FILE"] {
        let (configuration, dependencies) = try Self.remote(Self.screens()) { Date() }
        let shop = try ShopProgram(
          file: URL(filePath: file), configuration: configuration, dependencies: dependencies)
        for await command in Self.commands() { shop.obey(command) }
        return
      }
      let device = try DeviceProgram()
      for await command in Self.commands() { await device.obey(command) }
      await device.client.close()
    } catch {
      Reporter.say("error", "\(error)")
    }
  }

  private init() throws {
    let (clock, screens) = (Clock(), Self.screens())
    self.clock = clock
    let now: @Sendable () -> Date = { Date().addingTimeInterval(clock.ahead.withLock { $0 }) }
    client = try Self.localClient(screens, now) ?? Self.remoteClient(screens, now)
    client.defaultPaymentQueue().delegate = app
  }

  /// Writes the address of each page.
  private static func screens() -> any ScreenPresenter {
    TerminalPresenter(
      sleep: { try await Task.sleep(for: .seconds($0)) },
      print: { text in Reporter.say("open", text.split(separator: "\n").last.map(String.init) ?? "") })
  }

  private static func remoteClient(
    _ screens: any ScreenPresenter, _ now: @escaping @Sendable () -> Date
  ) throws -> OnsideClient {
    let (configuration, dependencies) = try remote(screens, now)
    return OnsideClient(configuration: configuration, dependencies: dependencies)
  }

  /// The configuration and the dependencies of a store over HTTP.
  private static func remote(
    _ screens: any ScreenPresenter, _ now: @escaping @Sendable () -> Date
  ) throws -> (OnsideConfiguration, Dependencies) {
    let configuration = try OnsideConfiguration()
    var dependencies = Dependencies.live(storageFolder: configuration.storageFolder, screens: screens)
    dependencies.keepSecretsInFiles()
    dependencies.now = now
    return (configuration, dependencies)
  }

  /// A client of a `.storekit` file without screens, when the environment names one.
  private static func localClient(
    _ screens: any ScreenPresenter, _ now: @escaping @Sendable () -> Date
  ) throws -> OnsideClient? {
    let environment = ProcessInfo.processInfo.environment
    guard let file = environment["ONSIDE_STOREKIT_FILE"], let folder = environment["ONSIDE_STORAGE_FOLDER"] else {
      return nil
    }
    var dependencies = Dependencies.live(storageFolder: URL(filePath: folder), screens: screens)
    dependencies.now = now
    let configuration = try StoreKitConfiguration.decode(Data(contentsOf: URL(filePath: file)), path: file)
    let store = LocalStore(configuration, dependencies: dependencies, keepsPurchases: true)
    store.settings.disableDialogs = true
    return OnsideClient(localStore: store, dependencies: dependencies)
  }

  private func obey(_ command: [String]) async {
    let queue = client.defaultPaymentQueue()
    let argument = command.count > 1 ? command[1] : ""
    switch command[0] {
    case "observe": queue.add(observer: app)
    case "add": await add(argument)
    case "finish":
      guard let transaction = queue.transactions.first(where: { $0.id.uuidString == argument }) else {
        return Reporter.say("unknown", argument)
      }
      queue.finishTransaction(transaction)
    case "advance": clock.ahead.withLock { $0 += Double(argument) ?? 0 }
    case "history": await showHistory()
    case "storm": await storm(Int(argument) ?? 0)
    case "load": await load(argument)
    case "storefront": Reporter.say("storefront", queue.storefront?.countryCode ?? "none")
    default: Reporter.say("error", "expected a command, got \(command[0])")
    }
  }

  private func add(_ product: String) async {
    do {
      guard let product = try await client.products(for: [product]).products.first else {
        return Reporter.say("error", "\(product) is not sold")
      }
      client.defaultPaymentQueue().add(OnsidePayment(product: product)) { Reporter.say("added", "\($0)") }
    } catch {
      Reporter.say("error", "\(error)")
    }
  }

  private func load(_ product: String) async {
    do {
      Reporter.say("loaded", "\(try await client.products(for: [product]).products.count)")
    } catch {
      Reporter.say("error", "\(error)")
    }
  }

  /// Asks for the history in many tasks at once; says how many got it.
  private func storm(_ count: Int) async {
    let succeeded = await withTaskGroup(of: Bool.self) { [client] group in
      for _ in 0..<count { group.addTask { await Self.isAnswered(client) } }
      var succeeded = 0
      for await isAnswered in group where isAnswered { succeeded += 1 }
      return succeeded
    }
    Reporter.say("storm", "\(succeeded)")
  }

  /// Asks for the history, again when the store is too busy to answer: that says nothing of the session.
  private static func isAnswered(_ client: OnsideClient) async -> Bool {
    for _ in 0..<10 {
      do {
        _ = try await client.signedInAppsHistory()
        return true
      } catch {
        guard error == .serviceUnavailable || error == .connectionError else { return false }
      }
    }
    return false
  }

  private func showHistory() async {
    do {
      _ = try await client.signedInAppsHistory()
      Reporter.say("history", "success")
    } catch {
      Reporter.say("history", "\(error)")
    }
  }

  /// The lines of standard input, as words.
  private static func commands() -> AsyncStream<[String]> {
    AsyncStream { continuation in
      Thread {
        while let line = readLine() {
          let words = line.split(separator: " ").map(String.init)
          if !words.isEmpty { continuation.yield(words) }
        }
        continuation.finish()
      }.start()
    }
  }
}
