import Foundation
import Hummingbird
import OnsideAPI
import StoreBase
import StoreWeb

extension StoreRequestContext {
  /// The id of an order in the path; `not_found` for a text that is no UUID.
  func orderID() throws(Problem) -> UUID {
    guard let id = parameters.get("order_id").flatMap({ UUID(text: $0) }) else { throw .notFound }
    return id
  }

  /// The subject of a customer in the path; `not_found` for a text of another form.
  func subject() throws(Problem) -> String {
    guard let subject = parameters.get("subject"), subject.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil else {
      throw .notFound
    }
    return subject
  }
}
