import Foundation

/// A folder of one test, gone when nobody holds it.
final class TemporaryFolder: Sendable {
  let url: URL

  /// A folder in the system's folder for temporary ones, or in another if that can be written to.
  init(in parent: URL? = nil) throws {
    let files = FileManager.default
    let parent = parent.flatMap { files.isWritableFile(atPath: $0.path) ? $0 : nil } ?? files.temporaryDirectory
    url = parent.appending(path: "onside-end-to-end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> String { url.appending(path: name).path }

  /// The names of the files in a folder of it.
  func names(in folder: String = "") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
  }
}
