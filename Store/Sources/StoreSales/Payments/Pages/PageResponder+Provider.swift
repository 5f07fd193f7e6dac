import Foundation
import Hummingbird
import StoreAccounts
import StorePayments
import StoreWeb

extension PageResponder {
  /// The answer with a page of a payment provider, or the way to one that is elsewhere.
  func respond(_ page: ProviderPage, to visit: PageVisit, targets: [String]) -> Response {
    switch page {
    case .page(let page, let sources): respond(page, to: visit, targets: targets, sources: sources)
    case .elsewhere(let url): redirect(to: url.absoluteString, visit)
    }
  }
}
