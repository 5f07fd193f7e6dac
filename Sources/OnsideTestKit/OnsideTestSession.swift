public import Foundation
public import OnsideCommerce
public import OnsideKit

/// A store, a person and devices of a test's own: what `SKTestSession` is to StoreKit, and more.
///
/// Sessions share nothing: any number can run at a time. Nothing is written to a disk or sent over a network, and time
/// stands still until ``advance(by:fileID:filePath:line:column:)`` moves it. The same seed gives the same ids.
public final class OnsideTestSession: Sendable {
  let world: TestWorld
  @MainActor private var devices: [TestDevice] = []

  /// A store for a `.storekit` file that was read, or for what was put together in code.
  /// - Parameters:
  ///   - configuration: what it sells, and how it behaves.
  ///   - seed: of all randomness.
  public init(_ configuration: StoreKitConfiguration, seed: UInt64 = 1) {
    world = TestWorld(configuration, seed: seed)
  }

  /// A store for a `.storekit` file.
  /// - Throws: an error with the path, the line and what was expected there.
  public convenience init(
    contentsOf file: URL, seed: UInt64 = 1
  ) throws(LocalStoreError) {
    self.init(try LocalStore.configuration(in: file), seed: seed)
  }

  /// A store for a `.storekit` file among a bundle's resources: `.module` in the tests of a package.
  /// - Parameters:
  ///   - name: the file's name; the extension may be left out.
  ///   - bundle: where the file is.
  ///   - seed: of all randomness.
  /// - Throws: an error that says where the file was looked for, or what is wrong in it.
  public convenience init(
    configurationFileNamed name: String, in bundle: Bundle = .main, seed: UInt64 = 1
  ) throws(LocalStoreError) {
    let fileName = name.hasSuffix(".storekit") ? name : name + ".storekit"
    let folder = bundle.resourceURL ?? bundle.bundleURL
    try self.init(contentsOf: folder.appending(path: fileName), seed: seed)
  }

  /// A store that sells a few products.
  /// - Parameters:
  ///   - products: what it sells.
  ///   - storefront: where everybody is; prices are in the currency there.
  ///   - seed: of all randomness.
  public convenience init(
    selling products: TestProduct..., storefront: CountryCode = .netherlands, seed: UInt64 = 1
  ) {
    var settings = StoreKitSettings()
    settings.storefront = storefront
    let configuration = StoreKitConfiguration(products: products.map { $0.product(in: storefront) }, settings: settings)
    self.init(configuration, seed: seed)
  }

  /// Another device. The session keeps it. Devices on which the same name logs in share an account.
  @MainActor
  public func device(_ name: String = "phone") -> TestDevice {
    let device = TestDevice(name, world: world)
    devices.append(device)
    return device
  }

  /// The store, with all its controls.
  public var store: LocalStore { world.store }
  /// Who sits before the screens.
  public var person: TestPerson { world.person }
  /// How long to wait for an expected result, in real time, before the test fails: 10 seconds unless changed. Time in
  /// which other programs keep the processor counts little, so a test does not fail because the machine is busy.
  public var patience: Duration {
    get { world.patience }
    set { world.patience = newValue }
  }
  /// The seed of all randomness.
  public var seed: UInt64 { world.seed }

  /// Lets the next calls of a kind meet a fault. Faults of one kind of call are met one after the other.
  public func disturb(_ call: StoreCall, with fault: Fault, times: Int = 1) {
    world.faults.add(fault, to: call, times: times)
  }
}
