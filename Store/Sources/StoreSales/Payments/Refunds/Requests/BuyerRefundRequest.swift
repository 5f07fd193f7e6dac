public import Foundation

/// A buyer's request for a refund, made on a page of the store. The operator decides it. Not to be confused with
/// `RefundRequest`, what the store asks a payment provider for.
public struct BuyerRefundRequest: Sendable, Hashable {
  /// The reason that the buyer chose.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// It was bought by mistake, or by somebody else.
    case unintended
    /// What was bought did not arrive in the app.
    case notDelivered = "not_delivered"
    /// It is not what the app had described.
    case notAsDescribed = "not_as_described"
    /// Another reason, perhaps in the note.
    case other
  }

  /// Where a request stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The operator has not decided.
    case waiting
    /// The whole price went back, by the operator's decision or any other way.
    case granted
    /// The operator has declined it.
    case declined
  }

  /// The order. It has one request at most.
  public let orderID: UUID
  /// The reason that the buyer chose.
  public let reason: Reason
  /// The buyer's own words; empty for none.
  public let note: String
  /// Where it stands.
  public let state: State
  /// When the buyer asked first.
  public let askedAt: Date
  /// When it was granted or declined.
  public let decidedAt: Date?
}

/// Why a request for a refund was not taken or decided.
public enum BuyerRefundRequestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The account has no such order.
  case orderNotFound
  /// The order is free, not paid, a duplicate, or refunded.
  case nothingToRefund
  /// The note has more than ``BuyerRefundNote/limit`` characters.
  case noteTooLong(Int)
  /// The order has no request.
  case noRequest
  /// The request is decided already.
  case decided(BuyerRefundRequest.State)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .orderNotFound: "expected an order of the account"
    case .nothingToRefund: "expected an order that is paid, not free, not a duplicate and not refunded"
    case .noteTooLong(let count): "expected a note of at most \(BuyerRefundNote.limit) characters, got \(count)"
    case .noRequest: "expected an order whose buyer has asked for a refund"
    case .decided(let state): "expected a request that waits, but it is \(state.rawValue)"
    }
  }
}

/// The buyer's own words, as a form sends them.
public struct BuyerRefundNote: Sendable, Hashable {
  /// How many characters (Unicode scalars) it has at most.
  public static let limit = 500

  /// The text, without space around it and without control characters but line ends: it is printed in terminals.
  public let text: String

  /// - Throws: `BuyerRefundRequestError.noteTooLong`.
  public init(_ text: String) throws(BuyerRefundRequestError) {
    // A form sends each line end as two characters.
    let lines = text.replacing("\r\n", with: "\n").unicodeScalars.filter {
      $0 == "\n" || $0.properties.generalCategory != .control
    }
    self.text = String(String.UnicodeScalarView(lines)).trimmingCharacters(in: .whitespacesAndNewlines)
    let count = self.text.unicodeScalars.count
    guard count <= Self.limit else { throw .noteTooLong(count) }
  }
}
