public import Foundation

#if canImport(Testing)
  import Testing
#endif

/// Where in a test something was expected.
struct CallSite: Sendable {
  let fileID: String
  let filePath: String
  let line: Int
  let column: Int

  init(_ fileID: String, filePath: String, line: Int, column: Int) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// An error that ends the test, with the story in its text. In a test of Swift Testing the issue is recorded here, at
  /// the line of the test; elsewhere there is only the error.
  func failure(_ text: String) -> any Error {
    #if canImport(Testing)
      if Test.current != nil {
        let site = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        let asExpected: Void? = nil
        do { try #require(asExpected, Comment(rawValue: text), sourceLocation: site) } catch { return error }
      }
    #endif
    return TestFailure(description: "\(fileID):\(line): \(text)")
  }
}

/// What a test expected and what came, with the story, where Swift Testing does not run.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
  /// What was expected, what came, and the story.
  public let description: String
}

extension TestFailure: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
