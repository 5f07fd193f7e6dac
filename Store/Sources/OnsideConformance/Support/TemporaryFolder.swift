import Foundation

/// A temporary folder of one test; `deinit` deletes it.
final class TemporaryFolder: Sendable {
  let url: URL

  /// Creates the folder in `parent` if that is writable, or else in the system's temporary folder.
  init(in parent: URL? = nil) throws {
    let files = FileManager.default
    let parent = parent.flatMap { files.isWritableFile(atPath: $0.path) ? $0 : nil } ?? files.temporaryDirectory
    url = parent.appending(path: "onside-end-to-end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> String { url.appending(path: name).path }

  /// The names of the files in a subfolder.
  func names(in folder: String = "") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
  }
}
