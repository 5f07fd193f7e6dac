public import Foundation
import StoreTestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A person's browser, scripted: follows redirects, keeps cookies, fills in forms. It speaks real HTTP with the real
/// pages, so that the demonstration proves what a person would see.
public final class Browser: Sendable {
  /// A page that was loaded.
  public struct Page: Sendable {
    /// Where it was in the end, after redirects.
    public let url: URL
    /// Its HTTP status.
    public let status: Int
    /// Its source.
    public let html: String
    /// Where the page sends the browser outside of the web: an app's own address, which is not followed.
    public let departure: URL?

    /// The page's text without markup.
    public var text: String {
      let body = html.replacing(/(?s)<(style|title)\b.*?<\/\1>/, with: "").replacing(/<[^>]*>/, with: " ")
      return HTMLForm.unescaped(body).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The form that has a field, a choice or a button of this name.
    /// - Throws: ``BrowserFailure`` when there is none.
    public func form(with name: String) throws -> HTMLForm {
      for form in HTMLForm.all(in: html)
      where form.editable.contains(name) || form.choices[name] != nil || form.buttons[name] != nil {
        return form
      }
      throw BrowserFailure("the page at \(url.path) has no form with “\(name)”; it says: \(text.prefix(300))")
    }
  }

  private let session: URLSession

  /// A browser without cookies, in a language. Its session is never ended, though that keeps its connections open: on
  /// Linux, ending one may close a descriptor that is another connection's by then (swift-corelibs-foundation 4791).
  public init(language: String = "en") {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["Accept-Language": language]
    session = URLSession(configuration: configuration)
  }

  /// Loads a page, following redirects.
  public func open(_ url: URL) async throws -> Page {
    try await load(URLRequest(url: url))
  }

  /// Sends a form of a page.
  public func submit(_ form: HTMLForm, of page: Page) async throws -> Page {
    guard let url = URL(string: form.action.isEmpty ? page.url.absoluteString : form.action, relativeTo: page.url)
    else { throw BrowserFailure("the form's address cannot be read: \(form.action)") }
    guard form.method != "get" else {
      var parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: false)
      parts?.percentEncodedQuery = form.body
      return try await open(parts?.url ?? url)
    }
    var request = URLRequest(url: url.absoluteURL)
    request.httpMethod = form.method.uppercased()
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(form.body.utf8)
    return try await load(request)
  }

  /// Loads a page, again while it says that the store is busy.
  private func load(_ request: URLRequest) async throws -> Page {
    try await repeatedWhileBusy(request.url?.path() ?? "a page without an address") { try await loadOnce(request) }
  }

  private func loadOnce(_ request: URLRequest) async throws -> StoreAnswer<Page> {
    do {
      let (data, response) = try await answer(to: request)
      guard let response = response as? HTTPURLResponse, let url = response.url else {
        throw BrowserFailure("no HTTP answer from \(request.url?.absoluteString ?? "?")")
      }
      let html = String(decoding: data, as: UTF8.self)
      return StoreAnswer(
        Page(url: url, status: response.statusCode, html: html, departure: nil), status: response.statusCode,
        retryAfter: response.value(forHTTPHeaderField: "Retry-After"))
    } catch let error as URLError {
      // A redirect to an address that is not on the web: URLSession cannot follow it, and gives it back.
      guard let url = error.failingURL, let from = request.url, !["http", "https"].contains(url.scheme?.lowercased())
      else { throw error }
      return StoreAnswer(Page(url: from, status: 303, html: "", departure: url), status: 303, retryAfter: nil)
    }
  }
}

extension Browser {
  /// Not `data(for:)`: on Linux it stands still for good when its task is cancelled in the moment in which it ends.
  private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
    try await withCheckedThrowingContinuation { continuation in
      let task = session.dataTask(with: request) { data, response, error in
        if let response {
          continuation.resume(returning: (data ?? Data(), response))
        } else {
          continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
      }
      task.resume()
    }
  }
}

/// A page that is not as the script expects it.
public struct BrowserFailure: Error, CustomStringConvertible {
  /// What was expected and what the page says.
  public let description: String

  /// Makes a failure.
  public init(_ description: String) { self.description = description }
}
