import Foundation
import OnsideKit

/// The signed history (contract, section 1.6).
@MainActor
final class HistoryCalls: OnsideSignedInAppsHistoryRequestDelegate {
  private var request: OnsideSignedInAppsHistoryRequest?

  func load() {
    switch Onside.makeSignedInAppsHistoryRequest() {
    case .success(let request):
      request.delegate = self
      request.start()
      self.request = request
    case .failure(.notLoggedIn): Onside.requestLogin()
    case .failure(let error): print(error)
    }
    request?.stop()
  }

  func onsideSignedInAppsHistoryRequest(
    _ request: OnsideSignedInAppsHistoryRequest, didReceive history: OnsideSignedInAppsHistory
  ) {
    let _: Data = history.data
    let _: String? = history.string
  }

  func onsideSignedInAppsHistoryRequest(
    _ request: OnsideSignedInAppsHistoryRequest, didFailWithError error: OnsideSignedInAppsHistoryRequestError
  ) {}
}
