import Crypto
import Foundation
import OnsideAPI

extension InstallationID {
  /// How the store knows this installation as a device of an account: a UUID that stays the same over restarts and
  /// logins, and that nobody can lead back to the installation.
  func deviceName(for account: AccountID) -> String {
    let bytes = Array(SHA256.hash(data: Data("onside-device-1\n\(self)\n\(account)".utf8)))
    return UUID.version7(at: Date(timeIntervalSince1970: 0), random: Array(bytes.prefix(10))).uuidString.lowercased()
  }
}
