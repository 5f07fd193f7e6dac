#if canImport(AuthenticationServices)
  public import AuthenticationServices
  public import Foundation

  /// Shows the SDK's pages in the system's sign-in sheet, which shares the browser's cookies and no keyboard with the
  /// app.
  ///
  /// The page comes back through the app's callback scheme, which the store must know as a redirect of the app.
  public struct WebAuthenticationPresenter: ScreenPresenter {
    private let callbackScheme: @MainActor @Sendable () -> String?
    private let anchor: @MainActor @Sendable (OnsideScreen) -> ASPresentationAnchor

    /// Makes a presenter.
    /// - Parameters:
    ///   - callbackScheme: the app's callback scheme, without the colon.
    ///   - anchor: the window over which sheets are shown; asked each time.
    public init(callbackScheme: String, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
      self.init(scheme: { callbackScheme }, over: { _ in anchor() })
    }

    /// A presenter that asks for the app's scheme and for the screen's window each time.
    init(
      scheme: @escaping @MainActor @Sendable () -> String?,
      over anchor: @escaping @MainActor @Sendable (OnsideScreen) -> ASPresentationAnchor
    ) {
      callbackScheme = scheme
      self.anchor = anchor
    }

    /// Shows the page in a sheet and waits until it comes back or the user closes it.
    public func present(
      _ screen: OnsideScreen, page: @escaping @Sendable (_ redirect: URL) async throws -> URL
    ) async throws -> ScreenOutcome {
      let scheme = await callbackScheme()
      guard let scheme, let redirect = URL(string: "\(scheme)://onside") else {
        throw ScreenPresentationError("expected a URL scheme such as lumen-auth, got \"\(scheme ?? "")\"")
      }
      let address = try await page(redirect)
      let sheet = await Sheet(address, scheme: scheme, anchor: anchor(screen))
      return try await withTaskCancellationHandler {
        try await SheetLine.shared.show(sheet)
      } onCancel: {
        Task { @MainActor in sheet.close() }
      }
    }
  }

  /// Shows sheets one at a time, as the system does.
  @MainActor
  private final class SheetLine {
    static let shared = SheetLine()
    private var last: Task<ScreenOutcome, any Error>?

    func show(_ sheet: Sheet) async throws -> ScreenOutcome {
      let before = last
      let showing = Task {
        _ = try? await before?.value
        return try await sheet.show()
      }
      last = showing
      return try await showing.value
    }
  }

  /// One sheet. It answers once, whatever comes first.
  @MainActor
  private final class Sheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let address: URL
    private let scheme: String
    private let anchor: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?
    private var answer: CheckedContinuation<ScreenOutcome, any Error>?
    private var isClosed = false

    init(_ address: URL, scheme: String, anchor: ASPresentationAnchor) {
      self.address = address
      self.scheme = scheme
      self.anchor = anchor
    }

    func show() async throws -> ScreenOutcome {
      try await withCheckedThrowingContinuation { continuation in
        answer = continuation
        guard !isClosed else { return settle(.success(.dismissed)) }
        let session = ASWebAuthenticationSession(url: address, callbackURLScheme: scheme) { [weak self] url, _ in
          Task { @MainActor in self?.settle(.success(url.map(ScreenOutcome.redirected) ?? .dismissed)) }
        }
        session.presentationContextProvider = self
        self.session = session
        if !session.start() {
          settle(.failure(ScreenPresentationError("the system did not show its sign-in sheet; is a window visible?")))
        }
      }
    }

    func close() {
      isClosed = true
      session?.cancel()
      settle(.success(.dismissed))
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }

    private func settle(_ outcome: Result<ScreenOutcome, any Error>) {
      answer?.resume(with: outcome)
      answer = nil
    }
  }
#endif
