#if os(Linux)
  import SecretService

  /// The Secret Service of the desktop session.
  struct SecretServiceStore: SecretStore {
    private let service: SecretService

    init(sleep: @escaping @Sendable (Double) async throws -> Void) { service = SecretService(sleep: sleep) }

    let name = "Secret Service"

    func check() async throws(SecretStoreFailure) {
      try await call { () async throws(SecretServiceError) in try await service.check() }
    }

    func installations(of owner: SecretOwner) async throws(SecretStoreFailure) -> Set<String> {
      try await call { () async throws(SecretServiceError) in
        try await service.values(of: "installation", where: attributes(owner))
      }
    }

    func secret(
      of installation: String, _ owner: SecretOwner, mayAsk: Bool
    ) async throws(SecretStoreFailure) -> [UInt8]? {
      try await call { () async throws(SecretServiceError) in
        try await service.secret(attributes(owner, installation: installation), mayAsk: mayAsk)
      }
    }

    func keep(_ secret: [UInt8], of installation: String, owner: SecretOwner) async throws(SecretStoreFailure) {
      try await call { () async throws(SecretServiceError) in
        try await service.keep(
          secret, label: "Login of \(owner.app)", attributes: attributes(owner, installation: installation))
      }
    }

    func remove(_ installation: String, of owner: SecretOwner) async throws(SecretStoreFailure) {
      try await call { () async throws(SecretServiceError) in
        try await service.remove(attributes(owner, installation: installation))
      }
    }

    private func attributes(_ owner: SecretOwner, installation: String? = nil) -> [String: String] {
      var attributes = ["xdg:schema": "org.onside.Login", "app": owner.app, "folder": owner.folder]
      if let installation { attributes["installation"] = installation }
      return attributes
    }

    private func call<Value>(
      _ body: () async throws(SecretServiceError) -> Value
    ) async throws(SecretStoreFailure) -> Value {
      do throws(SecretServiceError) { return try await body() } catch { throw SecretStoreFailure("\(error)") }
    }
  }
#endif
