public import Foundation
public import OnsideCommerce
public import OnsideKit

/// A test session: a store, a person and devices of a test's own, as `SKTestSession` is for StoreKit, and more.
///
/// The app's code runs unchanged on a ``TestDevice``: within `launch` and `run`, and in every task that begins there,
/// `Onside` is that device's client. Purchases go through the real payment queue. The person logs in and pays unless
/// told otherwise; no screens are shown.
///
/// ```swift
/// let session = OnsideTestSession(selling: .consumable("coins_100"), .subscription("pro_monthly"))
/// let phone = session.device()
/// phone.launch { Game(saved) }
///
/// try await phone.buy("coins_100")
/// try await session.transaction(of: "coins_100", in: .finished)
///
/// try await phone.buy("pro_monthly")
/// try await session.advance(by: .months(1))
/// try await session.expect("pro_monthly", .finished, times: 2)  // bought, and renewed once
/// ```
///
/// Sessions share nothing, so tests run in parallel (LOC-4). Nothing is written to a disk or sent over a network: a
/// device's disk is in memory, and lasts over its crashes. Time stands still until
/// ``advance(by:fileID:filePath:line:column:)`` moves it. The same seed gives the same identifiers.
///
/// An expectation that is not met throws, with the story of the transaction in the error's text. In a test of Swift
/// Testing it also records an issue at the line of the call; the parameters `fileID`, `filePath`, `line` and `column`
/// are for that, and left to their defaults.
public final class OnsideTestSession: Sendable {
  let world: TestWorld
  @MainActor private var devices: [TestDevice] = []

  /// Makes a session whose store sells the products of a `.storekit` configuration.
  ///
  /// - Parameters:
  ///   - configuration: the products and settings, from a file that was read or made in code.
  ///   - seed: the seed of all randomness, such as identifiers.
  public init(_ configuration: StoreKitConfiguration, seed: UInt64 = 1) {
    world = TestWorld(configuration, seed: seed)
  }

  /// Makes a session whose store sells the products of a `.storekit` file.
  ///
  /// - Parameters:
  ///   - file: the file, of format 3, 4 or 5 (LOC-1).
  ///   - seed: the seed of all randomness.
  /// - Throws: `LocalStoreError` with the path, the line and what was expected there.
  public convenience init(
    contentsOf file: URL, seed: UInt64 = 1
  ) throws(LocalStoreError) {
    self.init(try LocalStore.configuration(in: file), seed: seed)
  }

  /// Makes a session from a `.storekit` file among a bundle's resources; for the tests of a package, `in: .module`.
  ///
  /// - Parameters:
  ///   - name: the file's name; the extension may be left out.
  ///   - bundle: the bundle with the file.
  ///   - seed: the seed of all randomness.
  /// - Throws: `LocalStoreError`, which says where the file was looked for, or what is wrong in it.
  public convenience init(
    configurationFileNamed name: String, in bundle: Bundle = .main, seed: UInt64 = 1
  ) throws(LocalStoreError) {
    let fileName = name.hasSuffix(".storekit") ? name : name + ".storekit"
    let folder = bundle.resourceURL ?? bundle.bundleURL
    try self.init(contentsOf: folder.appending(path: fileName), seed: seed)
  }

  /// Makes a session whose store sells a few products that are made in code.
  ///
  /// - Parameters:
  ///   - products: the products, such as `.consumable("coins_100", price: "0.99")`. A price or length that makes no
  ///     sense stops the test.
  ///   - storefront: the country of every account; prices are in its currency.
  ///   - seed: the seed of all randomness.
  public convenience init(
    selling products: TestProduct..., storefront: CountryCode = .netherlands, seed: UInt64 = 1
  ) {
    var settings = StoreKitSettings()
    settings.storefront = storefront
    let configuration = StoreKitConfiguration(products: products.map { $0.product(in: storefront) }, settings: settings)
    self.init(configuration, seed: seed)
  }

  /// Makes another device, on which the app is not running yet. The session keeps it.
  ///
  /// Call ``TestDevice/launch(_:)`` to start the app. Several devices on which the same name logs in share an account,
  /// so that purchases of one arrive at the others. That includes consumables that no device has finished, because a
  /// session has no delivery leases, unlike a store over HTTP.
  ///
  /// - Parameter name: the device's name in the story.
  @MainActor
  public func device(_ name: String = "phone") -> TestDevice {
    let device = TestDevice(name, world: world)
    devices.append(device)
    return device
  }

  /// The local store with all its controls, which act on transactions by their identifier.
  public var store: LocalStore { world.store }
  /// The person who uses all devices: what they do on login and payment screens.
  public var person: TestPerson { world.person }
  /// The longest wait for an expected result, in real time: 30 seconds unless changed. The test fails after it.
  public var patience: Duration {
    get { world.patience }
    set { world.patience = newValue }
  }
  /// The seed of all randomness.
  public var seed: UInt64 { world.seed }

  /// Makes the next calls of one kind to the store meet a fault: a failure, a delay, a lost answer, a repetition.
  ///
  /// Faults of one kind of call are used up one after the other, in the order in which they were added, by whichever
  /// device calls. Each is noted in the story.
  ///
  /// - Parameters:
  ///   - call: the kind of call, for example ``StoreCall/order``.
  ///   - fault: the fault.
  ///   - times: how many calls meet it.
  public func disturb(_ call: StoreCall, with fault: Fault, times: Int = 1) {
    world.faults.add(fault, to: call, times: times)
  }
}
