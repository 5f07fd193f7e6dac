import Foundation

@testable import OnsideKit

/// What a page says, as an item of its messages.
enum PageItem: Encodable {
  case call(id: Int, function: String, parameters: String? = nil)
  case answer(gate: Int, value: Bool)
  case delivered(revocations: [UUID])
  case handlers(names: [String])
  case ready
  case alive
}

extension [PageItem] {
  /// The message with these items.
  var message: String { (try? JSONText(self))?.text ?? "" }
}
