import Crypto
import Foundation
import OnsideAPI
public import OnsideCommerce

extension EntitlementList {
  /// The ``subject`` of an account in an app: the same in each list and purchase of both, and another one in each app,
  /// so that apps cannot compare their users (a pairwise subject identifier, OpenID Connect Core, section 8.1).
  ///
  /// - Parameters:
  ///   - account: the account's id, a UUID in lower case.
  ///   - app: the app's id.
  /// - Returns: the SHA-256 of both in base64url.
  public static func subject(account: String, app: String) -> String {
    Base64URL.encode(Array(SHA256.hash(data: Data("onside entitlements\n\(app)\n\(account)".utf8))))
  }
}
