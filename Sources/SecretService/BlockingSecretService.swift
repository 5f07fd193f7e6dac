#if os(Linux)
  import Dispatch
  import Foundation
  import Synchronization

  /// The Secret Service with blocking calls: the caller's thread blocks, at most until the deadline. Secrets are texts
  /// that never become a `String`.
  package struct BlockingSecretService: Sendable {
    private let deadline: Double
    /// Lends a text.
    package typealias Lender = @Sendable ((UnsafeBufferPointer<CChar>) -> Void) -> Void

    /// - Parameter deadline: how long a call may take, in seconds.
    package init(deadline: Double = 30) { self.deadline = deadline }

    /// Whether a secret could be kept now: there is a service, and its default collection is unlocked. Shows no prompt.
    package func check() throws(SecretServiceError) {
      try call { call throws(SecretServiceError) in try call.check() }
    }

    /// Stores a text in the user's default collection, replacing an item with the same attributes. Shows no prompt.
    package func keep(_ text: @escaping Lender, label: String, attributes: [String: String]) throws(SecretServiceError)
    {
      try call { call throws(SecretServiceError) in
        var result = Result<Void, SecretServiceError>.success(())
        text { letters in
          result = Result { () throws(SecretServiceError) in
            try call.keep(letters, label: label, attributes: attributes)
          }
        }
        try result.get()
      }
    }

    /// What `read` makes of the text with the attributes; nil when an unlocked service has none. Shows no prompt.
    package func secret<Value: Sendable>(
      _ attributes: [String: String], _ read: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Value
    ) throws(SecretServiceError) -> Value? {
      try call { call throws(SecretServiceError) in
        let value = try call.secret(attributes, mayAsk: false, read)
        // Some services do not list their items while they are locked.
        if value == nil { try call.check() }
        return value
      }
    }

    /// Removes what has the attributes; an error, as long as the service is locked.
    package func remove(_ attributes: [String: String]) throws(SecretServiceError) {
      try call { call throws(SecretServiceError) in
        try call.check()
        try call.remove(attributes)
      }
    }

    private func call<Value: Sendable>(
      _ body: @escaping @Sendable (SecretServiceCall) throws(SecretServiceError) -> Value
    ) throws(SecretServiceError) -> Value {
      let library = try LibSecret.forThisSession
      let cancellation = Cancellation(library)
      let answer = Answer<Value>()
      Thread.detachNewThread {
        answer.set(
          Result { () throws(SecretServiceError) in try body(SecretServiceCall(library, cancellation: cancellation)) })
      }
      guard let result = answer.wait(deadline) else {
        cancellation.cancel()
        throw .timedOut
      }
      return try result.get()
    }
  }

  /// A result that one thread waits for and another delivers.
  private final class Answer<Value: Sendable>: Sendable {
    private let isThere = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Value, SecretServiceError>?>(nil)

    func set(_ result: Result<Value, SecretServiceError>) {
      self.result.withLock { $0 = result }
      isThere.signal()
    }

    /// Waits for the result; nil when it is not delivered in time.
    func wait(_ seconds: Double) -> Result<Value, SecretServiceError>? {
      isThere.wait(timeout: .now() + seconds) == .success ? result.withLock { $0 } : nil
    }
  }
#endif
