import Foundation
import Glibc
import ScriptedBrowser
import StoreTestSupport
import Testing

@testable import OnsideStore

/// Logins with third-party OAuth libraries against a store that listens on a socket.
@Suite(
  "OAuth: third-party client libraries",
  .enabled(if: ForeignClient.python != nil, "Python with authlib and requests-oauthlib is missing: script/setup"),
  .timeLimit(.minutes(5)))
struct ForeignClientTests {
  @Test(
    "ACC-9: login with PKCE, call, refresh and revoke; what was revoked or used is refused",
    .timeLimit(.minutes(5)), arguments: ["authlib", "requests-oauthlib"])
  func login(library: String) async throws {
    let store = try await LoginStore()
    try await store.live { address in
      let app = try ForeignClient(library, issuer: address.absoluteString.trimmingSuffix("/"))
      let opened = try #require(try await app.line("OPEN "), "\(app.errors)")
      let browser = ScriptedBrowser.Browser()
      var page = try await browser.open(try #require(URL(string: opened)))
      var form = try page.form(with: "phone")
      form.set("phone", to: "+31612345689")
      page = try await browser.submit(form, of: page)
      form = try page.form(with: "code")
      form.set("code", to: try await store.code("+31612345689"))
      page = try await browser.submit(form, of: page)
      form = try page.form(with: "country")
      form.set("country", to: "NL")
      page = try await browser.submit(form, of: page)
      #expect(page.text == "Back in the app")
      let line = try await app.line("DONE")
      #expect(line != nil, "\(app.output)\n\(app.errors)")
    }
  }
}

/// A process of `Clients/client.py`; its output is written to files.
final class ForeignClient: Sendable {
  /// The path of the Python in which `script/setup` installed the libraries; nil without it.
  static let python = [Repository.root.appending(path: ".build/python/bin/python").path()]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private let folder: TemporaryFolder
  private let id: pid_t

  init(_ library: String, issuer: String) throws {
    folder = try TemporaryFolder()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Clients/client.py").path()
    id = try spawn(
      Self.python ?? "", arguments: [script, library, issuer, "io.example.lumen"],
      environment: ["PYTHONDONTWRITEBYTECODE": "1"],
      files: [.null, .appending(folder.file("out")), .appending(folder.file("err"))])
  }

  deinit {
    kill(id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
  }

  var output: String { (try? String(contentsOfFile: folder.file("out"), encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: folder.file("err"), encoding: .utf8)) ?? "" }

  /// Waits for a line that begins with `marker`, and returns its rest; nil when the program ends without such a line.
  func line(_ marker: String) async throws -> String? {
    let deadline = NamedDeadline("a line that begins with “\(marker)”")
    while true {
      let hasEnded = hasEnded
      let line = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .first { $0.hasPrefix(marker) }
      if let line { return String(line.dropFirst(marker.count)) }
      if hasEnded { return nil }
      try await deadline.next(in: .milliseconds(20))
    }
  }

  /// Whether the process has ended. It is not reaped: `deinit` does that.
  private var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
