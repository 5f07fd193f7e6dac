#if canImport(Security)
  import Foundation
  import Security

  /// The keychain of an Apple system: generic passwords of this device, readable once it has been unlocked after a
  /// start, and in no backup or other device. It never asks its user.
  package struct KeychainSecretStore: SecretStore {
    package let name = "keychain"

    package init() {}

    package func check() async throws(SecretStoreFailure) {
      _ = try find(query(service: "onside"), what: "look into the keychain")
    }

    package func installations(of owner: SecretOwner) async throws(SecretStoreFailure) -> Set<String> {
      var query = query(service: service(of: owner))
      query[kSecReturnAttributes] = true
      query[kSecMatchLimit] = kSecMatchLimitAll
      let items = try find(query, what: "list secrets") as? [NSDictionary] ?? []
      return Set(items.compactMap { $0[kSecAttrAccount] as? String })
    }

    package func secret(
      of installation: String, _ owner: SecretOwner, mayAsk: Bool
    ) async throws(SecretStoreFailure) -> [UInt8]? {
      var query = item(installation, owner: owner)
      query[kSecReturnData] = true
      guard let found = try find(query, what: "read a secret") else { return nil }
      guard let data = found as? Data else { throw SecretStoreFailure("expected the bytes of a secret, got no data") }
      return Array(data)
    }

    package func keep(
      _ secret: [UInt8], of installation: String, owner: SecretOwner
    ) async throws(SecretStoreFailure) {
      try await remove(installation, of: owner)
      var item = item(installation, owner: owner)
      item[kSecValueData] = Data(secret)
      item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      let status = SecItemAdd(dictionary(item), nil)
      guard status == errSecSuccess else { throw failure("keep a secret", status: status) }
    }

    package func remove(_ installation: String, of owner: SecretOwner) async throws(SecretStoreFailure) {
      let status = SecItemDelete(dictionary(item(installation, owner: owner)))
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw failure("remove a secret", status: status)
      }
    }

    // MARK: Queries

    private typealias Query = [CFString: Any]

    private func query(service: String) -> Query {
      [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecUseDataProtectionKeychain: true]
    }

    private func item(_ installation: String, owner: SecretOwner) -> Query {
      var query = query(service: service(of: owner))
      query[kSecAttrAccount] = installation
      return query
    }

    /// Elsewhere than on a Mac an app has one folder, whose path changes with updates.
    private func service(of owner: SecretOwner) -> String {
      #if os(macOS)
        "onside \(owner.app) \(owner.folder)"
      #else
        "onside \(owner.app)"
      #endif
    }

    /// What is found; nil when there is nothing.
    private func find(_ query: Query, what: String) throws(SecretStoreFailure) -> CFTypeRef? {
      var result: CFTypeRef?
      let status = SecItemCopyMatching(dictionary(query), &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess else { throw failure(what, status: status) }
      return result
    }

    private func dictionary(_ query: Query) -> CFDictionary { NSDictionary(dictionary: query) as CFDictionary }

    private func failure(_ what: String, status: OSStatus) -> SecretStoreFailure {
      SecretStoreFailure("expected to \(what), the keychain answered \(status)")
    }
  }
#endif
