public import Foundation

/// The syntax of JSON (RFC 8259), which is checked more strictly than by Foundation: a key may occur once in an object.
public enum JSONSyntax {
  /// Reads a text, and throws at its first fault.
  ///
  ///     try JSONSyntax.check(Data(contentsOf: file), path: "catalogue.json")
  ///
  /// - Parameters:
  ///   - data: a text in UTF-8.
  ///   - path: the file, for the error only.
  /// - Throws: the line and the column, what was expected and what came.
  public static func check(_ data: Data, path: String) throws(StoreKitFileError) {
    let bytes = [UInt8](data)
    do { _ = try JSONParser.parse(bytes) } catch { throw StoreKitFileError(path: path, bytes: bytes, error) }
  }
}
