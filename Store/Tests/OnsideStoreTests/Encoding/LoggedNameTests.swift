import Foundation
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// What logs may say of an error.
@Suite("Logged errors", .timeLimit(.minutes(5)))
struct LoggedNameTests {
  private enum Fault: Error {
    case plain
    case held(String)
  }

  private enum Described: Error, CustomStringConvertible {
    case plain
    case held(String)

    var description: String { "+31612345678" }
  }

  private struct Mirrored: Error, CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["+31612345678": 1], displayStyle: .enum) }
  }

  @Test("SEC-1: the store's own errors are logged with their case and code, and without what they hold")
  func ownErrors() {
    let errors: [(any Error, String)] = [
      (StorageError.full, "StorageError.full"),
      (StorageError.unavailable(code: 5386, message: "+31612345678"), "StorageError.unavailable 5386"),
      (StorageError.refused(sqlState: "40001", message: "+31612345678"), "StorageError.refused 40001"),
      (StorageError.constraint("+31612345678"), "StorageError.constraint"),
      (StorageError.unexpectedValue(column: "country", expected: "a code"), "StorageError.unexpectedValue country"),
      (OrderError.invalidRequest("+31612345678"), "OrderError.invalid_request"),
      (PaymentError.invalidSignature, "PaymentError.invalid_signature"),
      (StripeError.noAnswer("+31612345678"), "StripeError.no_answer"),
      (OpenIDFailure.refused("+31612345678"), "OpenIDFailure.refused"),
      (MessageFailure.unclear("+31612345678"), "MessageFailure.unclear"),
    ]
    for (error, name) in errors { #expect(error.loggedName == name) }
  }

  @Test("SEC-1: of any other error the log has the type, and the name that the source has for its case")
  func otherErrors() {
    let errors: [any Error] = [
      Fault.plain, Fault.held("+31612345678"), Described.plain, Described.held("x"), Mirrored(),
    ]
    let names = errors.map(\.loggedName)
    #expect(names.map { $0.contains("LoggedNameTests") } == Array(repeating: true, count: 5))
    #expect(names[0].hasSuffix("Fault.plain") && names[1].hasSuffix("Fault.held"))
    #expect(names[2].hasSuffix("Described") && names[3].hasSuffix("Described.held") && names[4].hasSuffix("Mirrored"))
    let decoding = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "+31612345678"))
    #expect(decoding.loggedName == "DecodingError.dataCorrupted")
  }
}
