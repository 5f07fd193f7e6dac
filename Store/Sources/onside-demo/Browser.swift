import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A person's browser, scripted: follows redirects, keeps cookies, fills in forms. It speaks real HTTP with the real
/// pages, so that the demonstration proves what a person would see.
final class Browser: NSObject, URLSessionTaskDelegate {
  /// A page that was loaded.
  struct Page {
    let url: URL
    let status: Int
    let html: String

    /// The page's text without markup.
    var text: String {
      let body = html.replacing(/(?s)<(style|title)\b.*?<\/\1>/, with: "").replacing(/<[^>]*>/, with: " ")
      return HTMLForm.unescaped(body).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The form that has a field, a choice or a button of this name.
    func form(with name: String) throws -> HTMLForm {
      for form in HTMLForm.all(in: html)
      where form.editable.contains(name) || form.choices[name] != nil || form.buttons[name] != nil {
        return form
      }
      throw DemoFailure("the page at \(url.path) has no form with “\(name)”; it says: \(text.prefix(300))")
    }
  }

  private let session: URLSession

  override init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["Accept-Language": "en"]
    session = URLSession(configuration: configuration)
    super.init()
  }

  /// Loads a page, following redirects.
  func open(_ url: URL) async throws -> Page {
    try await load(URLRequest(url: url))
  }

  /// Sends a form of a page.
  func submit(_ form: HTMLForm, of page: Page) async throws -> Page {
    guard let url = URL(string: form.action.isEmpty ? page.url.absoluteString : form.action, relativeTo: page.url)
    else { throw DemoFailure("the form's address cannot be read: \(form.action)") }
    var request = URLRequest(url: url.absoluteURL)
    request.httpMethod = form.method.uppercased()
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(form.body.utf8)
    return try await load(request)
  }

  private func load(_ request: URLRequest) async throws -> Page {
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse, let url = response.url else {
      throw DemoFailure("no HTTP answer from \(request.url?.absoluteString ?? "?")")
    }
    return Page(url: url, status: response.statusCode, html: String(decoding: data, as: UTF8.self))
  }
}

/// A step that was not as promised.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
