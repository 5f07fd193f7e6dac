package import Foundation

/// A login that the store's app has been asked for, until the user has given it up (ACC-10). The answer itself arrives
/// elsewhere (``CallbackInbox``) and ends it from outside. Pure: what is to be done comes out as effects.
package struct AppToAppLoginMachine: Sendable, Hashable {
  /// What happens.
  package enum Event: Sendable, Hashable {
    /// The login begins, or is asked for again while it is under way.
    case asked(at: Date)
    /// The store's app was opened, or could not be.
    case opened(Bool)
    /// The user is back in this app; an answer would have come just before, or comes now.
    case returned
    /// The time for an answer after the return with this number is over.
    case waited(Int)
    /// The time for the login is over.
    case timeUp
  }

  /// What is to be done.
  package enum Effect: Sendable, Hashable {
    /// Bring the store's app before the user.
    case open
    /// Tell ``Event/waited(_:)`` after ``AppToAppLoginMachine/grace``.
    case wait(Int)
    /// The user has given up.
    case dismiss
    /// There is no such app after all.
    case fail
  }

  /// How long an answer may take after the user has come back, in seconds.
  package static let grace = 2.0
  /// The shortest time between two openings, in seconds: several calls at once are one wish of the user.
  package static let pause = 2.0

  private var lastOpening: Date?
  private var hasOpened = false
  private var returns = 0
  private var isBack = false

  package init() {}

  package mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .asked(let now):
      if let lastOpening, now.timeIntervalSince(lastOpening) < Self.pause { return [] }
      lastOpening = now
      isBack = false
      return [.open]
    case .opened(let isOpen):
      defer { hasOpened = hasOpened || isOpen }
      return isOpen || hasOpened ? [] : [.fail]
    case .returned:
      returns += 1
      isBack = true
      return [.wait(returns)]
    case .waited(let number):
      return isBack && number == returns ? [.dismiss] : []
    case .timeUp:
      return [.dismiss]
    }
  }
}
