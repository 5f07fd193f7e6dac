import Foundation

/// Where a command writes a text: a file, or standard output.
struct TextOutput {
  /// The file; nil for standard output.
  let path: String?

  /// Writes the text; a file is there whole, or not at all, and only its owner can read it.
  func write(_ text: String) throws {
    guard let path else { return try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
    let part = "\(path).\(UUID().uuidString).part"
    guard rename(Data(text.utf8), from: part, to: path) else {
      let reason = String(cString: strerror(errno))
      try? FileManager.default.removeItem(atPath: part)
      throw CommandFailure("--output: expected a file that can be written, but \(path): \(reason)")
    }
  }

  private func rename(_ data: Data, from part: String, to path: String) -> Bool {
    let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    return FileManager.default.createFile(atPath: part, contents: data, attributes: rights)
      && Foundation.rename(part, path) == 0
  }
}
