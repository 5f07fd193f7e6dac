import Foundation
import OnsideWebKitGTK

/// A scripted user who logs in at the store and consents, for demonstrations: fills in and submits each page.
struct ScriptedOwner {
  let phone: String
  /// The output of the store's console sender, with the codes.
  let codes: URL
  let picture: URL?

  /// Acts until the window is closed.
  func act(in window: OnsideWebWindow) async throws {
    var (hasPicture, isLoggedIn) = (false, false)
    while !Task.isCancelled {
      let code = code() ?? ""
      let page = (try? await window.run(Self.look)) ?? ""
      if page == "consent", let picture, !hasPicture {
        hasPicture = true
        // Waits for the page's animations to end.
        try await Task.sleep(for: .seconds(1))
        try await window.picture().write(to: picture)
        StoreAppProgram.say("The store app asks for consent: \(picture.path)")
      }
      if page == "account", !isLoggedIn {
        isLoggedIn = true
        StoreAppProgram.say("\(phone) is logged in at the store")
      }
      if page != "code" || !code.isEmpty {
        _ = try? await window.run(Self.go, arguments: ["page": page, "phone": phone, "code": code])
      }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// The last code that was sent to the phone.
  private func code() -> String? {
    guard let text = try? String(contentsOf: codes, encoding: .utf8) else { return nil }
    let lines = text.split(separator: "\n").filter { $0.contains("code for \(phone)") }
    return lines.last?.matches(of: /[0-9]{6}/).last.map { String($0.0) }
  }

  private static let look = """
    const has = (selector) => document.querySelector(selector) !== null;
    if (document.readyState !== 'complete') return '';
    if (location.pathname === '/account') return 'account';
    if (has('form[action$="/continue"] input[name=account]')) return 'consent';
    if (has('input[name=code]')) return 'code';
    if (has('form[action*="/region"] [name=country]')) return 'country';
    if (has('input[name=phone]')) return 'phone';
    return '';
    """

  private static let go = """
    const forms = {
      consent: 'form[action$="/continue"]', code: 'input[name=code]', country: 'form[action*="/region"]',
      phone: 'input[name=phone]',
    };
    const found = document.querySelector(forms[page] ?? 'nothing');
    if (!found || window.acted) return '';
    window.acted = true;
    if (page === 'phone') found.value = phone;
    if (page === 'code') found.value = code;
    (found.form ?? found).querySelector('button:not([value=cancel])').click();
    return 'pressed';
    """
}
