import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The one absolute path of a file, without symbolic links (POSIX `realpath`).
enum RealPath {
  /// The real path; the standardized one when there is no such file.
  static func of(_ file: URL) -> String {
    guard let path = realpath(file.path(percentEncoded: false), nil) else {
      return file.absoluteURL.standardizedFileURL.path(percentEncoded: false)
    }
    defer { free(path) }
    return String(cString: path)
  }
}
