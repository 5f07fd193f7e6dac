import Foundation
import Hummingbird
import Logging
import OnsideKit
import Synchronization

/// A web server of one test. Its pages have the host's tag and a few helpers; what else is in them the test says.
final class PageSite: Sendable {
  private struct State {
    var port = 0
    var headTag = ""
    var bodies: [String: String] = [:]
    var policies: [String: String] = [:]
  }

  private let state = Mutex(State())
  private let running = Mutex<Task<Void, any Error>?>(nil)

  /// Opens a server on a port of its own.
  static func open() async throws -> PageSite {
    let site = PageSite()
    let router = Router()
    for path in ["/", "**"] as [RouterPath] {
      router.get(path) { request, _ in
        Response(
          status: .ok, headers: site.headers(at: request.uri.path),
          body: ResponseBody(byteBuffer: ByteBuffer(string: site.html(at: request.uri.path))))
      }
    }
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in listening.yield(channel.localAddress?.port ?? 0) },
      logger: Logger(label: "site") { _ in SwiftLogNoOpLogHandler() })
    site.running.withLock {
      $0 = Task {
        defer { listening.finish() }
        try await application.run()
      }
    }
    for await port in ports {
      site.state.withLock { $0.port = port }
      break
    }
    return site
  }

  func close() async {
    let task = running.withLock { $0 }
    task?.cancel()
    _ = await task?.result
  }

  /// The tag that comes before everything else in a page.
  var headTag: String {
    get { state.withLock { $0.headTag } }
    set { state.withLock { $0.headTag = newValue } }
  }

  var port: Int { state.withLock { $0.port } }

  /// The address of a page, under the name of this site or another that leads to it.
  func address(_ path: String = "/", host: String = "127.0.0.1") throws -> URL {
    guard let url = URL(string: "http://\(host):\(port)\(path)") else { throw URLError(.badURL) }
    return url
  }

  func origin() throws -> WebOrigin {
    guard let origin = WebOrigin("http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
    return origin
  }

  /// Says what is in the body of a page, and its Content-Security-Policy. Other pages are empty and have none.
  func put(_ body: String, at path: String, policy: String? = nil) {
    state.withLock { state in
      state.bodies[path] = body
      state.policies[path] = policy
    }
  }

  private func headers(at path: String) -> HTTPFields {
    var headers: HTTPFields = [.contentType: "text/html; charset=utf-8"]
    headers[.contentSecurityPolicy] = state.withLock { $0.policies[path] }
    return headers
  }

  private func html(at path: String) -> String {
    let (tag, body) = state.withLock { ($0.headTag, $0.bodies[path] ?? "") }
    return """
      <!doctype html><html lang="en"><head>\(tag)<meta charset="utf-8"><title>\(path)</title>
      <script>\(Self.helpers)</script></head><body>\(body)</body></html>
      """
  }

  /// What cases may use in every page: `heard` has the callbacks in their order.
  private static let helpers = """
    globalThis.heard = [];
    globalThis.until = async (condition) => {
      while (!(await condition())) await new Promise((resume) => setTimeout(resume, 5));
    };
    globalThis.listen = (...names) => {
      for (const name of names) onside[name] = (...values) => { heard.push([name, ...values]); };
    };
    globalThis.outcome = (promise) => promise.then(
      (value) => value === undefined ? {} : { value },
      (error) => error instanceof Error ? { name: error.name, code: error.code } : { rejection: error });
    globalThis.sorted = (value) => JSON.stringify(value, (_, part) =>
      part && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => one < other ? -1 : 1)) : part);
    """
}
