import Foundation
import Hummingbird
import OnsideAPI
import StoreAccounts
import StoreBase
import StoreWeb

/// Who sends a request about orders.
struct OrderCaller: Hashable, Sendable {
  var customer: Customer
  var device: DeliveryDevice
}

extension Request {
  /// Who calls. The device is what the app names, else its session. Throws `invalid_request` when the name is no UUID.
  func caller(_ claims: AccessClaims) throws(Problem) -> OrderCaller {
    OrderCaller(customer: claims.customer, device: try deliveryDevice(of: claims))
  }

  private func deliveryDevice(of claims: AccessClaims) throws(Problem) -> DeliveryDevice {
    guard let name = headers[.onsideDevice] else { return DeliveryDevice(id: claims.sessionID, knowsLeases: false) }
    guard let device = UUID(text: name) else {
      throw .invalidRequest("Expected a UUID in \(WireHeader.device), got something else.")
    }
    return DeliveryDevice(id: device.lowercase, knowsLeases: true)
  }
}
