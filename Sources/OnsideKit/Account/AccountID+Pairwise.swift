import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify

extension AccountID {
  /// The id by which an app knows the account, made of the account's subject in the app.
  ///
  /// Stores and files of earlier versions have the id that all apps share, a UUID of version 7. It is converted here,
  /// so that an update needs no new login; an id of version 8 is the app's own already.
  func pairwise(in app: String) -> AccountID {
    guard uuid.uuid.6 >> 4 != 8 else { return self }
    return AccountID(subject: EntitlementList.subject(account: description, app: app)) ?? self
  }
}
