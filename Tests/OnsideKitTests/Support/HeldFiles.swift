import Dispatch
import Foundation
import OnsideKit
import Testing

/// The file system of this machine, whose calls wait until they are let go. The main thread does not wait: a call from
/// it is a fault.
final class HeldFiles: FileSystem {
  private let files = SystemFiles()
  private let gate = DispatchSemaphore(value: 0)

  func letGo() { gate.signal() }

  func makeFolder(_ folder: String) throws { try passing { try files.makeFolder(folder) } }
  func names(in folder: String) throws -> [String] { try passing { try files.names(in: folder) } }
  func read(_ file: String) throws -> Data? { try passing { try files.read(file) } }
  func write(_ content: Data, to file: String) throws { try passing { try files.write(content, to: file) } }
  func rename(_ file: String, to newName: String) throws { try passing { try files.rename(file, to: newName) } }
  func remove(_ file: String) throws { try passing { try files.remove(file) } }
  func flush(_ folder: String) throws { try passing { try files.flush(folder) } }
  func lock(_ file: String) throws -> any Sendable { try passing { try files.lock(file) } }

  private func passing<Value>(_ body: () throws -> Value) rethrows -> Value {
    if Thread.isMainThread {
      Issue.record("the main thread has called the file system")
    } else {
      gate.wait()
      gate.signal()
    }
    return try body()
  }
}
