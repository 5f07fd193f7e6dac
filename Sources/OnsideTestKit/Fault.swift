import OnsideKit
import Synchronization

/// A call of the SDK to its store.
public enum StoreCall: String, CaseIterable, Sendable {
  /// Logging in.
  case signIn = "log in"
  /// Loading products.
  case products = "load products"
  /// Loading offerings.
  case offerings = "load offerings"
  /// Making an order.
  case order = "make order"
  /// Asking how an order stands.
  case check = "ask for order"
  /// Giving an order up.
  case cancel = "cancel order"
  /// The payment screen.
  case payment = "pay"
  /// Hearing of changes. The call waits for one; the fault meets its answer.
  case sync = "sync"
  /// Telling that a purchase was delivered.
  case finish = "finish"
  /// Asking what the account may use.
  case entitlements = "ask for entitlements"
  /// Asking where subscriptions stand.
  case subscriptions = "ask for subscriptions"
  /// Asking what a restore brings back.
  case restore = "restore"
}

/// What a call to the store meets.
public enum Fault: Hashable, Sendable {
  /// It fails, and never reaches the store.
  case fail(Failure)
  /// It reaches the store after so much simulated time.
  case delay(TimeSpan)
  /// The store does what it was asked for, and the answer never comes.
  case loseAnswer
  /// The network repeats it: the store hears it twice.
  case duplicate
  /// Something has to be settled before this purchase goes through, by ``OnsideTestSession/approve(_:)``. It is for
  /// ``StoreCall/payment``, and leaves other calls alone.
  case interrupt

  /// How a call fails.
  public enum Failure: String, Hashable, Sendable {
    /// No answer: no network, a closed connection.
    case connection
    /// The store cannot answer now (5xx).
    case serviceUnavailable
    /// The store does not know the app (404).
    case appNotRegistered
    /// The store has ended the session.
    case notSignedIn
    /// A screen could not be shown.
    case presentationFailed
    /// The answer made no sense.
    case internalError
  }
}

extension Fault.Failure {
  var error: StoreError {
    switch self {
    case .connection: .connection
    case .serviceUnavailable: .serviceUnavailable
    case .appNotRegistered: .appNotRegistered
    case .notSignedIn: .notSignedIn
    case .presentationFailed: .presentationFailed
    case .internalError: .internalError("expected an answer, got the failure that the test asked for")
    }
  }
}

extension Fault: CustomStringConvertible {
  /// In words.
  public var description: String {
    switch self {
    case .fail(let failure): "fails (\(failure.rawValue))"
    case .delay: "is late"
    case .loseAnswer: "reaches the store, the answer is lost"
    case .duplicate: "reaches the store twice"
    case .interrupt: "is interrupted"
    }
  }
}

/// The faults that wait for their calls.
final class FaultScript: Sendable {
  private let waiting = Mutex<[StoreCall: [Fault]]>([:])

  func add(_ fault: Fault, to call: StoreCall, times: Int) {
    waiting.withLock { $0[call, default: []] += Array(repeating: fault, count: max(0, times)) }
  }

  func next(for call: StoreCall) -> Fault? {
    waiting.withLock { $0[call]?.isEmpty == false ? $0[call]?.removeFirst() : nil }
  }
}
