/// The completion of a call of the SDK, on the main actor.
///
/// It is declared in a module of the Swift 5 language mode. There the type is not `Sendable`, as it is in Swift 6, so
/// that an app in either mode passes on a completion that it has stored, or a method, without a warning:
///
/// ```swift
/// @MainActor final class Account {
///   var loggedIn: ((Result<Void, OnsideLoginError>) -> Void)?
///   func logIn() { Onside.requestLogin(completion: loggedIn) }
/// }
/// ```
public typealias OnsideCompletion<Success, Failure: Error> = @MainActor (Result<Success, Failure>) -> Void
