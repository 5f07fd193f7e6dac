import Foundation
import OnsideKit
import OnsideTestKit

/// The class that a page shows.
@MainActor
protocol Sample: OnsidePaymentTransactionObserver {
  var coins: Int { get }
  static func start(file: URL) throws -> Self
  func buy(_ identifier: String) async throws -> OnsidePurchaseResult?
}

extension ReadmeSample.Shop: Sample {}
extension GettingStartedSample.Shop: Sample {}

/// The pages with the class.
enum SamplePage: CaseIterable {
  case readme, gettingStarted

  @MainActor var shop: any Sample.Type {
    switch self {
    case .readme: ReadmeSample.Shop.self
    case .gettingStarted: GettingStartedSample.Shop.self
    }
  }
}

/// Names of files in which shops save, each used by one test.
enum ShopFile {
  static func new() -> URL { FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID()).json") }
}

extension TestDevice {
  /// Launches the README's shop with a file of its own.
  func launchShop() throws -> Shop { try launch { try Shop.start(file: ShopFile.new()) } }
}
