import Foundation
import OnsideTestKit

/// Names of files in which shops save, each used by one test.
enum ShopFile {
  static func new() -> URL { FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID()).json") }
}

extension TestDevice {
  /// Launches the README's shop, with a file of its own unless one is given.
  func launchShop(file: URL = ShopFile.new()) throws -> Shop { try launch { try Shop.start(file: file) } }
}
