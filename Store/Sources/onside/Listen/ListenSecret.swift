import Foundation
import StoreBase
import StoreMerchants

/// The file with the secret of `onside listen`.
struct ListenSecret {
  let path: String

  /// Returns the secret of the file; makes the file, for its owner only, if it is missing.
  func read() throws -> WebhookSecret {
    let files = FileManager.default
    guard files.fileExists(atPath: path) else { return try make() }
    let mode = try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    guard let mode, mode & 0o077 == 0 else {
      throw CommandFailure("--secret-file: expected a file that only its owner can read; chmod 600 \(path)")
    }
    let text = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let secret = WebhookSecret(text: text) else {
      throw CommandFailure("--secret-file: expected whsec_ and 24 to 64 bytes in base64 in \(path)")
    }
    return secret
  }

  private func make() throws -> WebhookSecret {
    let secret = WebhookSecret(SystemRandom())
    guard (try? StoreFile(path).create()) == true, let file = FileHandle(forWritingAtPath: path) else {
      throw CommandFailure("--secret-file: expected a file that can be made, got \(path)")
    }
    try file.write(contentsOf: Data((secret.text + "\n").utf8))
    try file.close()
    return secret
  }
}
