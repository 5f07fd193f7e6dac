import Foundation

/// Where a command writes a text: a file, or standard output.
struct TextOutput {
  /// The file; nil for standard output.
  let path: String?

  /// Writes the text; a file is there whole, or not at all.
  func write(_ text: String) throws {
    guard let path else { return try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
    do { try text.write(toFile: path, atomically: true, encoding: .utf8) } catch {
      throw CommandFailure(
        "--output: expected a file that can be written, but \(path): \(error.localizedDescription)")
    }
  }
}
