import Foundation
import Logging
import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@MainActor
@Suite("Starting in local testing", .timeLimit(.minutes(5)))
final class LocalInitializeTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "local-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ text: String, to name: String) throws -> URL {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test("INI-3: an unknown name stops with the places that were looked at")
  func unknownName() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setenv("ONSIDE_STOREKIT_FOLDER", "/nowhere/at/all", 1)
        await MainActor.run { Onside.initialize(storeKitConfigurationName: "Lumen") }
      })
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("expected a StoreKit configuration file named Lumen.storekit"))
    #expect(message.contains("/nowhere/at/all/Lumen.storekit"))
  }

  @Test("INI-3: a broken file stops with its path, the line and what was expected")
  func brokenFile() async throws {
    let file = try write("{\n  \"products\" : [\n    nonsense\n  ]\n}", to: "Broken.storekit")
    let path = folder.path()
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      setenv("ONSIDE_STOREKIT_FOLDER", path, 1)
      await MainActor.run { Onside.initialize(storeKitConfigurationName: "Broken") }
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("\(file.path()):3:5: expected"))
  }

  @Test("INI-3: a file with a broken product stops initialize, and LocalStore(contentsOf:) throws the same")
  func brokenProduct() async throws {
    let product = #"{ "productID" : "coins", "type" : "Consumable", "displayPrice" : "-1" }"#
    let text = "{\n  \"products\" : [\n    \(product)\n  ],\n  \"version\" : { \"major\" : 4 }\n}"
    let file = try write(text, to: "Priceless.storekit")
    let expected = "\(file.path()):3:70: expected products[0].displayPrice: a price such as \"4.99\", got \"-1\""
    let path = folder.path()
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      setenv("ONSIDE_STOREKIT_FOLDER", path, 1)
      await MainActor.run { Onside.initialize(storeKitConfigurationName: "Priceless") }
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains(expected))
    let thrown = #expect(throws: LocalStoreError.self) { try LocalStore(contentsOf: file, storageFolder: self.folder) }
    #expect(thrown?.localizedDescription == expected)
  }

  @Test("QUE-1, INI-2: a payment without an observer and a second initialize are warnings on standard error")
  func warnings() async throws {
    _ = try write(LocalFile.text(#""_disableDialogs" : true"#), to: "Lumen.storekit")
    let path = folder.path()
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = path as String] in
      setenv("ONSIDE_STOREKIT_FOLDER", path, 1)
      setenv("ONSIDE_STORAGE_FOLDER", path + "/storage", 1)
      await MainActor.run {
        Onside.initialize(storeKitConfigurationName: "Lumen")
        Onside.initialize(storeKitConfigurationName: "Lumen")
      }
      try await Onside.login()
      let coins = try #require(try await Onside.products(for: [LocalFile.coins]).products.first)
      try await Onside.defaultPaymentQueue().add(OnsidePayment(product: coins))
      exit(0)
    }
    let lines = String(decoding: try #require(result).standardErrorContent, as: UTF8.self).split(separator: "\n")
    let warnings = lines.filter { $0.contains("warning") }
    #expect(warnings.count { $0.contains("Onside.initialize was called again") } == 1)
    #expect(warnings.count { $0.contains("has work but no observer. Call add(observer:)") } == 1)
  }

  @Test("INI-2: with a store over HTTP and no logger of the app's, warnings are on standard error, too")
  func warningsOfStore() async throws {
    let path = folder.path()
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = path as String] in
      for (name, value) in [
        ("STORE_URL", "http://127.0.0.1:1"), ("APP_ID", "io.example.lumen"), ("STORAGE_FOLDER", path),
      ] { setenv("ONSIDE_\(name)", value, 1) }
      await MainActor.run {
        Onside.initialize()
        Onside.initialize()
      }
      exit(0)
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("warning") && message.contains("Onside.initialize was called again"))
  }

  @Test("INI-3: the throwing way tells the same, and the app goes on")
  func throwing() throws {
    let broken = try write("{\n  \"products\" : ", to: "Broken.storekit")
    let missing = folder.appending(path: "Missing.storekit")
    let damaged = #expect(throws: LocalStoreError.self) {
      try LocalStore(contentsOf: broken, storageFolder: self.folder)
    }
    #expect(damaged?.description.contains("\(broken.path()):2:") == true)
    #expect(damaged?.description.contains("expected") == true)
    let absent = #expect(throws: LocalStoreError.self) {
      try LocalStore(contentsOf: missing, storageFolder: self.folder)
    }
    #expect(absent?.description.hasPrefix("\(missing.path()): expected") == true)
    #expect(throws: LocalStoreError.self) { try LocalStore(contentsOf: self.folder, storageFolder: self.folder) }
  }

  @Test("LOC-1: a name is looked for in the given folders, in their order")
  func lookup() throws {
    let (first, second) = (folder.appending(path: "a"), folder.appending(path: "b"))
    for place in [first, second] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    try Data(LocalFile.text().utf8).write(to: second.appending(path: "Lumen.storekit"))
    let files = StoreKitFiles(folders: [first, second], dataFolder: folder)
    let filePath = try files.file(named: "Lumen").path()
    #expect(filePath == second.appending(path: "Lumen.storekit").path())
    try Data(LocalFile.text().utf8).write(to: first.appending(path: "Lumen.storekit"))
    let secondFilePath = try files.file(named: "Lumen.storekit").path()
    #expect(secondFilePath == first.appending(path: "Lumen.storekit").path())
    #expect(throws: LocalStoreError.self) {
      try StoreKitFiles(folders: [], dataFolder: nil).storageFolder(for: first)
    }
  }

  @Test("LOC-1: initialize by a name sells what the file lists")
  func initialize() async throws {
    _ = try write(LocalFile.text(#""_disableDialogs" : true"#), to: "Lumen.storekit")
    let path = folder.path()
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("ONSIDE_STOREKIT_FOLDER", path, 1)
      setenv("ONSIDE_STORAGE_FOLDER", path + "/storage", 1)
      await MainActor.run {
        Onside.initialize(storeKitConfigurationName: "Lumen")
        Onside.initialize(storeKitConfigurationName: "Lumen")
      }
      let products = try await Onside.products(for: [LocalFile.coins, "x"])
      precondition(products.products.count == 1 && products.invalidProductIdentifiers == ["x"])
      try await Onside.login()
      let country = await MainActor.run { Onside.defaultPaymentQueue().storefront?.countryCode }
      precondition(country == "NL")
      exit(0)
    }
    let local = folder.appending(path: "storage/local")
    let folders = try FileManager.default.contentsOfDirectory(atPath: local.path())
    #expect(folders.count == 1 && folders.first?.wholeMatch(of: /Lumen-[0-9a-f]{16}/) != nil)
    let kept = local.appending(path: "\(folders.first ?? "")/local-session.json").path()
    #expect(FileManager.default.fileExists(atPath: kept))
    let mode = try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("LOC-1: what is left out of a file is listed once")
  func ignored() throws {
    let errors = #""_storeKitErrors" : [ { "current" : null, "enabled" : true, "name" : "Verification" } ]"#
    let text = LocalFile.text(errors).replacing("\"identifier\"", with: "\"novelty\" : 1, \"identifier\"")
    let configuration = try StoreKitConfiguration.decode(Data(text.utf8), path: "Lumen.storekit")
    let world = ClientHarness()
    let store = LocalStore(configuration, dependencies: world.dependencies())
    _ = store.transactions()
    #expect(store.configuration.ignored == ["novelty"])
    let lines = world.log.lines(.notice).filter { $0.contains("novelty") }
    #expect(lines.count == 1 && lines.first?.contains("Verification") == true)
  }

  @Test("LOC-1: the example shop of this repository loads, and everything in it can be bought")
  func exampleShop() async throws {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let configuration = try LocalStore.configuration(in: root.appending(path: "Examples/Shop.storekit"))
    let world = ClientHarness()
    let store = LocalStore(configuration, dependencies: world.dependencies())
    store.settings.disableDialogs = true
    for product in configuration.products { #expect(store.buy(product.id) != nil) }
    let client = OnsideClient(localStore: store, dependencies: world.dependencies())
    let response = try await client.products(for: Set(configuration.products.map(\.id)))
    #expect(response.products.count == configuration.products.count && response.invalidProductIdentifiers.isEmpty)
    await client.close()
  }

  @Test("INI-4: nothing is written when initialize returns")
  func writesNothing() async throws {
    let world = ClientHarness()
    let store = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies(), keepsPurchases: true)
    let client = OnsideClient(localStore: store, dependencies: world.dependencies())
    #expect(!FileManager.default.fileExists(atPath: world.folder.appending(path: "local-store.json").path()))
    #expect(client.configuration == nil && client.localStore === store)
    await client.close()
    await store.close()
  }

  @Test("A file of purchases that cannot be read starts empty, and says so")
  func damagedBook() async throws {
    let world = ClientHarness()
    try FileManager.default.createDirectory(at: world.folder, withIntermediateDirectories: true)
    try Data("{".utf8).write(to: world.folder.appending(path: "local-store.json"))
    let store = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies(), keepsPurchases: true)
    #expect(store.transactions().isEmpty)
    #expect(world.log.lines(.warning).contains { $0.contains("starts empty") })
    await store.close()
  }
}
