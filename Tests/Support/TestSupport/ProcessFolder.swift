public import Foundation

/// The temporary folder of this process's tests. It is deleted when the process ends, with what tests have left in it:
/// some of them let work go on that holds its files.
public enum ProcessFolder {
  /// Where it is.
  public static let url: URL = {
    let url = FileManager.default.temporaryDirectory.appending(path: "onside-tests-\(getpid())")
    atexit { try? FileManager.default.removeItem(at: ProcessFolder.url) }
    return url
  }()
}
