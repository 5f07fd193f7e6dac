package import HTTPTypes
import OnsideAPI

/// A refusal that a person reads.
package enum PageProblem: Error, Sendable, Hashable {
  case notFound
  /// The login or payment is over, or was never there.
  case gone
  /// The same of an address that an app has opened, which is named, with the app's address to go back to.
  case over(app: String, back: String)
  /// It belongs to another browser, or cookies are off.
  case otherBrowser
  /// The form was not made for this browser.
  case form
  /// The form has the token of another session than the browser's. Its page, where the form names one, has the form
  /// with the right token.
  case earlierSession(page: LocalPath?)
  case unknownClient
  case unknownRedirect
  case wait(seconds: Int)
  /// The form did not arrive in time.
  case slow
  case busy
  case broken
  /// The address takes forms only, and was opened: reloaded by hand, or kept as a bookmark.
  case otherMethod

  package init(_ problem: Problem) {
    switch problem.status {
    case .notFound: self = .notFound
    case .tooManyRequests: self = .wait(seconds: problem.retryAfter ?? 1)
    case .serviceUnavailable: self = .busy
    case .requestTimeout: self = .slow
    case .badRequest, .unsupportedMediaType, .contentTooLarge, .unprocessableContent: self = .form
    case .methodNotAllowed: self = .otherMethod
    default: self = .broken
    }
  }

  package var status: HTTPResponse.Status {
    switch self {
    case .notFound: .notFound
    case .gone, .over: .gone
    case .otherBrowser, .form, .earlierSession: .forbidden
    case .unknownClient, .unknownRedirect: .badRequest
    case .wait: .tooManyRequests
    case .slow: .requestTimeout
    case .busy: .serviceUnavailable
    case .broken: .internalServerError
    case .otherMethod: .methodNotAllowed
    }
  }

  /// Seconds for `Retry-After`.
  package var retryAfter: Int? {
    switch self {
    case .wait(let seconds): seconds
    case .busy: 1
    default: nil
    }
  }

  package func page(_ texts: Texts) -> ProblemPage {
    let (heading, text) = words(texts)
    return ProblemPage(heading: heading, text: text, back: back(texts))
  }

  private func back(_ texts: Texts) -> PageLink? {
    guard case .over(let app, let address) = self else { return nil }
    return PageLink(label: texts(.backToApp, ["app": app.isolated]), address: address)
  }

  private func words(_ texts: Texts) -> (String, String) {
    switch self {
    case .notFound: (texts[.notFoundTitle], texts[.notFoundText])
    case .gone, .over, .otherMethod: (texts[.goneTitle], texts[.goneText])
    case .otherBrowser: (texts[.otherBrowserTitle], texts[.otherBrowserText])
    case .form, .earlierSession, .slow: (texts[.formTitle], texts[.formText])
    case .unknownClient: (texts[.clientTitle], texts[.clientText])
    case .unknownRedirect: (texts[.redirectTitle], texts[.redirectText])
    case .wait(let seconds): (texts[.waitTitle], texts(.hurryText, ["wait": texts.wait(seconds)]))
    case .busy: (texts[.busyTitle], texts[.busyText])
    case .broken: (texts[.brokenTitle], texts[.brokenText])
    }
  }
}
