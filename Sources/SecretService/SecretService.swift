#if os(Linux)
  import Foundation

  /// The Secret Service of a desktop session (freedesktop.org's Secret Service API 0.2), such as GNOME's keyring or
  /// KDE's wallet, through libsecret.
  ///
  /// Each call has a thread of its own, and ends by its deadline, also when the service hangs. An operation that had
  /// begun may still complete then.
  package struct SecretService: Sendable {
    /// How long a call may take, in seconds.
    package static let deadline = 5.0
    /// How long the user has to answer a prompt to unlock, in seconds.
    package static let patience = 120.0

    private let sleep: @Sendable (Double) async throws -> Void

    /// The service of the session that this process belongs to.
    /// - Parameter sleep: waits for a number of seconds, and throws when its task is cancelled.
    package init(sleep: @escaping @Sendable (Double) async throws -> Void) { self.sleep = sleep }

    /// Whether a secret could be kept now: there is a service, and its default collection is unlocked. Shows no prompt.
    package func check() async throws(SecretServiceError) {
      try await call { call throws(SecretServiceError) in try call.check() }
    }

    /// Stores a secret in the user's default collection, replacing an item with the same attributes. Shows no prompt.
    /// - Parameters:
    ///   - secret: any bytes; they are stored as Base64, since some services accept only texts.
    ///   - label: the name in programs that show the collection.
    ///   - attributes: what it is found by. They are no secrets. `xdg:schema` says of what kind it is.
    package func keep(
      _ secret: [UInt8], label: String, attributes: [String: String]
    ) async throws(SecretServiceError) {
      let text = Data(secret).base64EncodedString()
      try await call { call throws(SecretServiceError) in
        let letters = text.utf8.map(CChar.init(bitPattern:))
        try letters.withUnsafeBufferPointer { letters throws(SecretServiceError) in
          try call.keep(letters, label: label, attributes: attributes)
        }
      }
    }

    /// The secret with the attributes; nil when the service has none.
    /// - Parameter mayAsk: whether the desktop may ask its user to unlock it.
    package func secret(
      _ attributes: [String: String], mayAsk: Bool = false
    ) async throws(SecretServiceError) -> [UInt8]? {
      let text = try await call(within: mayAsk ? Self.patience : Self.deadline) { call throws(SecretServiceError) in
        try call.secret(attributes, mayAsk: mayAsk) { String(decoding: $0, as: UTF8.self) }
      }
      return text.flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }

    /// The values that an attribute has in the unlocked secrets with the other attributes.
    package func values(
      of attribute: String, where attributes: [String: String]
    ) async throws(SecretServiceError) -> Set<String> {
      try await call { call throws(SecretServiceError) in try call.values(of: attribute, where: attributes) }
    }

    /// Removes what has the attributes.
    package func remove(_ attributes: [String: String]) async throws(SecretServiceError) {
      try await call { call throws(SecretServiceError) in try call.remove(attributes) }
    }

    private func call<Value: Sendable>(
      within seconds: Double = deadline,
      _ body: @escaping @Sendable (SecretServiceCall) throws(SecretServiceError) -> Value
    ) async throws(SecretServiceError) -> Value {
      let library = try LibSecret.forThisSession
      let cancellation = Cancellation(library)
      let (results, result) = AsyncStream.makeStream(
        of: Result<Value, SecretServiceError>.self, bufferingPolicy: .bufferingOldest(1))
      Thread.detachNewThread {
        result.yield(
          Result { () throws(SecretServiceError) in try body(SecretServiceCall(library, cancellation: cancellation)) })
      }
      let timer = Task { [sleep] in
        try await sleep(seconds)
        result.yield(.failure(.timedOut))
      }
      defer {
        timer.cancel()
        cancellation.cancel()
      }
      for await result in results { return try result.get() }
      throw .timedOut
    }
  }

  extension LibSecret {
    /// The library, where there is a session bus to use it on.
    static var forThisSession: LibSecret {
      get throws(SecretServiceError) {
        guard SessionBus.isThere(in: ProcessInfo.processInfo.environment) else {
          throw .unavailable("there is no session bus")
        }
        guard let loaded else { throw .unavailable("libsecret-1.so.0 is not installed") }
        return loaded
      }
    }
  }

  /// An error of the Secret Service. None of them means that a secret does not exist.
  package enum SecretServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no service, or it failed; the text says what was tried and how it failed.
    case unavailable(String)
    /// It is locked, and no prompt was shown, or the user refused it.
    case locked
    /// It did not answer in time.
    case timedOut

    package var description: String {
      switch self {
      case .unavailable(let reason): reason
      case .locked: "the collection is locked"
      case .timedOut: "the Secret Service did not answer in time"
      }
    }
  }
#endif
