import CWebKitGTK
public import Foundation

/// Serves the files of a folder to web views under an origin of their own, ``origin``: a page that an app brings along
/// needs no server and no port, and modules and `fetch` work, which they do not in files.
@GTKActor
public final class AppFolder {
  /// The origin of the folder's pages. One folder for each process.
  public nonisolated static let origin = "onside-app://app"

  private let folder: URL
  private static let scheme = "onside-app"
  private static var current: AppFolder?

  /// Serves a folder from now on, in place of the former.
  /// - Returns: the address of its `index.html`.
  public static func serve(_ folder: URL) -> URL {
    let isFirst = current == nil
    current = AppFolder(folder)
    if isFirst { register() }
    return URL(string: origin + "/index.html") ?? folder
  }

  private init(_ folder: URL) { self.folder = folder.standardizedFileURL.resolvingSymlinksInPath() }

  private static func register() {
    let context = webkit_web_context_get_default()
    let security = webkit_web_context_get_security_manager(context)
    webkit_security_manager_register_uri_scheme_as_secure(security, scheme)
    webkit_security_manager_register_uri_scheme_as_cors_enabled(security, scheme)
    webkit_web_context_register_uri_scheme(
      context, scheme,
      { request, _ in
        guard let request else { return }
        let asked = FromC(request)
        GTKActor.assumeIsolated { AppFolder.current?.answer(asked.value) }
      }, nil, nil)
  }

  // MARK: Files

  private func answer(_ request: OpaquePointer) {
    let path = webkit_uri_scheme_request_get_path(request).map { String(cString: $0) } ?? "/"
    guard let file = file(path), let data = try? Data(contentsOf: file) else {
      return finish(request, with: Data("There is no \(path).".utf8), type: "text/plain; charset=utf-8", status: 404)
    }
    finish(request, with: data, type: Self.type(of: file, data), status: 200)
  }

  /// A page that is not UTF-8 says its encoding itself, or is taken for Windows-1252.
  private static func type(of file: URL, _ data: Data) -> String {
    let type = types[file.pathExtension.lowercased()] ?? "application/octet-stream"
    guard type.hasPrefix("text/html"), String(validating: data, as: UTF8.self) == nil else { return type }
    return "text/html"
  }

  /// The file of a path; nil for what lies outside of the folder.
  private func file(_ path: String) -> URL? {
    let name = path.removingPercentEncoding ?? path
    // What comes after a NUL would not count for the system, and its ending would be the file's type.
    guard !name.utf8.contains(0) else { return nil }
    let file = folder.appending(path: name.hasSuffix("/") ? name + "index.html" : name)
      .standardizedFileURL.resolvingSymlinksInPath()
    return file.path.hasPrefix(folder.path + "/") ? file : nil
  }

  private func finish(_ request: OpaquePointer, with data: Data, type: String, status: UInt32) {
    let bytes = data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(bytes) }
    let stream = g_memory_input_stream_new_from_bytes(bytes)
    defer { g_object_unref(stream) }
    let response = webkit_uri_scheme_response_new(stream, gint64(data.count))
    defer { g_object_unref(response.map(UnsafeMutableRawPointer.init)) }
    webkit_uri_scheme_response_set_content_type(response, type)
    webkit_uri_scheme_response_set_status(response, status, nil)
    webkit_uri_scheme_request_finish_with_response(request, response)
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "json": "application/json", "svg": "image/svg+xml", "png": "image/png",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "woff2": "font/woff2",
    "wasm": "application/wasm", "txt": "text/plain; charset=utf-8",
  ]
}
