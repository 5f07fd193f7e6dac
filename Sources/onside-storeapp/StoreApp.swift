import Foundation
import OnsideKit
import OnsideWebKitGTK

/// The store's pages in a window, and the logins that other apps ask for.
@GTKActor
final class StoreApp {
  private let store: URL
  private let opener: any AppOpener
  private let texts: StoreAppTexts
  let window: OnsideWebWindow
  /// The login that is asked for now. A newer one takes the place of an older one.
  private(set) var link: AuthorizationLink?
  private let say: @Sendable (String) -> Void

  /// Opens the window, which shows nothing yet.
  init(
    store: URL, dataFolder: URL, opener: any AppOpener, languages: [String],
    say: @escaping @Sendable (String) -> Void
  ) async throws {
    self.store = store
    self.opener = opener
    texts = StoreAppTexts.best(of: languages)
    self.say = say
    window = try await OnsideWebWindow.open("Onside", width: 480, height: 860, dataFolder: dataFolder)
    window.watchNavigations { [weak self] address in self?.takes(address) ?? true }
  }

  /// Shows the user's account; the store asks for a login first if need be.
  func showAccount() { window.show(store.appending(path: "account")) }

  /// Takes an address that the desktop was asked to open; an empty one brings the window forward.
  func open(_ address: String) {
    guard !address.isEmpty else { return window.present() }
    do {
      let link = try AuthorizationLink(address)
      guard link.isFor(store) else { return refuse(.otherStore(link.issuer.absoluteString)) }
      self.link = link
      say("\(link.clientID) asks for a login")
      window.show(link.page)
    } catch {
      refuse(.refused(error))
    }
  }

  /// Web pages stay in the window. The answer to the requested login goes to its app; every other scheme is refused.
  private func takes(_ address: URL) -> Bool {
    if let link, link.isAnswer(address) {
      self.link = nil
      Task { await handOut(address, for: link) }
      return true
    }
    return !["http", "https", "about"].contains(address.scheme?.lowercased() ?? "")
  }

  private func handOut(_ answer: URL, for link: AuthorizationLink) async {
    if await opener.open(answer) {
      say("Gave the answer to \(link.clientID), at \(link.redirect.absoluteString)")
      window.show(html: page(.answered(link.clientID)).html)
    } else {
      say("Found no app that opens \(link.redirect.scheme ?? "")://")
      window.show(html: page(.noApp(link.clientID)).html)
    }
  }

  private func refuse(_ content: StoreAppPage.Content) {
    say("Refused a link: \(content)")
    // A login that is under way goes on: a hostile link must not end it.
    if link == nil { window.show(html: page(content).html) } else { window.present() }
  }

  private func page(_ content: StoreAppPage.Content) -> StoreAppPage {
    StoreAppPage(content, in: texts, account: store)
  }
}
