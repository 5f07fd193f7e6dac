import Foundation

/// The files of the repository that this test is part of.
enum Repository {
  static func text(_ path: String) throws -> String {
    let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
