import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@Suite("Where local purchases are kept", .timeLimit(.minutes(5)))
final class LocalStorageTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "local-\(UUID().uuidString)")
  private let files: StoreKitFiles

  init() throws {
    files = StoreKitFiles(folders: [], dataFolder: folder.appending(path: "data"))
    for project in ["a", "b"] { try write("\(project)/Shop.storekit") }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ path: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(LocalFile.text(#""_disableDialogs" : true"#).utf8).write(to: file)
  }

  private func storage(_ path: String, files: StoreKitFiles? = nil) throws -> String {
    try (files ?? self.files).storageFolder(for: folder.appending(path: path)).path(percentEncoded: false)
  }

  @Test("LOC-5: files of one name in two projects keep their purchases apart, under the file's name")
  func projects() throws {
    let (first, second) = (try storage("a/Shop.storekit"), try storage("b/Shop.storekit"))
    #expect(first != second)
    let expected = try storage("a/Shop.storekit")
    #expect(first == expected)
    for path in [first, second] { #expect(path.contains("/data/local/Shop-")) }
  }

  @Test("LOC-5: one file keeps them together, whichever path leads to it")
  func realPath() throws {
    let (link, alias) = (folder.appending(path: "link"), folder.appending(path: "a/Other.storekit"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.appending(path: "a"))
    try FileManager.default.createSymbolicLink(
      at: alias, withDestinationURL: folder.appending(path: "a/Shop.storekit"))
    let expected = try storage("a/Shop.storekit")
    let result = try storage("link/Shop.storekit")
    #expect(result == expected)
    let secondResult = try storage("b/../a/./Shop.storekit")
    #expect(secondResult == expected)
    let hash = try #require(expected.split(separator: "-").last)
    #expect(try storage("a/Other.storekit").hasSuffix("Other-\(hash)"))
  }

  @Test("LOC-5: within an app's bundle it is the path there, since every installation has another bundle path")
  func bundle() throws {
    for installation in ["1", "2"] { try write("\(installation)/Lumen.app/Shop.storekit") }
    let folders = try ["1", "2"].map { installation in
      var files = files
      files.bundle = folder.appending(path: "\(installation)/Lumen.app")
      return try storage("\(installation)/Lumen.app/Shop.storekit", files: files)
    }
    #expect(folders[0] == folders[1])
    let expected = try storage("1/Lumen.app/Shop.storekit")
    #expect(folders[0] != expected)
  }

  @Test("LOC-5: a long name makes no folder that a disk refuses")
  func longName() throws {
    let name = String(repeating: "é", count: 120)
    try write("a/\(name).storekit")
    let path = try storage("a/\(name).storekit")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  @Test("LOC-5: a store says where it keeps purchases, and nothing when it keeps none")
  func place() async throws {
    let world = ClientHarness()
    let kept = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies(), keepsPurchases: true)
    #expect(kept.storageFolder == world.folder)
    let storageFolder = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies()).storageFolder
    #expect(storageFolder == nil)
    await kept.close()
  }

  @Test("LOC-5: what is kept for a file is erased whole, and not while another process uses it")
  func erase() async throws {
    let world = ClientHarness()
    let store = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies(), keepsPurchases: true)
    #expect(store.buy(LocalFile.coins) != nil)
    try Data("x".utf8).write(to: world.folder.appending(path: "local-session.json"))
    #expect(throws: FileLock.Busy.self) { try LocalDisk.erase(world.folder) }
    #expect(store.transactions().count == 1)
    await store.close()
    try LocalDisk.erase(world.folder)
    let contentsOfDirectory = try FileManager.default.contentsOfDirectory(atPath: world.folder.path())
    #expect(contentsOfDirectory == ["local-store.lock"])
    try LocalDisk.erase(world.folder.appending(path: "missing"))
    let again = LocalStore(try LocalFile.configuration(), dependencies: world.dependencies(), keepsPurchases: true)
    #expect(again.transactions().isEmpty)
    await again.close()
  }
}
