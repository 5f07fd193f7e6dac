public import Foundation
import Synchronization

/// A temporary folder of one test; `deinit` deletes it.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL
  private let contents = Mutex<[any AnyObject & Sendable]>([])

  /// Creates the folder in `parent` if that is writable, or else in the system's temporary folder.
  public init(in parent: URL? = nil) throws {
    let files = FileManager.default
    let parent = parent.flatMap { files.isWritableFile(atPath: $0.path) ? $0 : nil } ?? files.temporaryDirectory
    url = parent.appending(path: "onside-test-\(UUID().uuidString)")
    try files.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Holds an object until the folder is deleted.
  public func hold(_ object: any AnyObject & Sendable) { contents.withLock { $0.append(object) } }

  /// The path of the folder.
  public var path: String { url.path }

  /// The path of a file in it.
  public func file(_ name: String) -> String { url.appending(path: name).path }

  /// The names of the files in a subfolder.
  public func names(in folder: String = "") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
  }

  /// The text of a file; empty when there is none.
  public func text(_ name: String) -> String { (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? "" }

  /// Writes a file.
  public func write(_ name: String, text: String) throws {
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
  }
}
