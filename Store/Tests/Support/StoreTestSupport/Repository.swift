public import Foundation

/// The files of the repository that a test is part of.
public enum Repository {
  /// Its folder.
  public static let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  /// The text of a file.
  public static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
