import Foundation
import StoreTestSupport
import Testing

/// The store's user replaces files beside the database by links before root runs a command.
@Suite(
  "Planted links", .enabled(if: geteuid() == 0, "only root can run a command for another user"),
  .timeLimit(.minutes(5)))
struct PlantedLinkTests {
  private static let user: uid_t = 65534
  private let onside: Program

  init() throws { onside = try Program() }

  /// A store whose folder and files belong to another user, in a folder of root's group.
  private func store() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    _ = try await onside.run("backup", "backup.sqlite")
    for name in try FileManager.default.contentsOfDirectory(atPath: onside.folder.path) {
      #expect(lchown(onside.folder.file(name), Self.user, Self.user) == 0)
    }
    #expect(lchown(onside.folder.path, Self.user, 0) == 0)
  }

  private func owner(of path: String) throws -> [uid_t?] {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return [FileAttributeKey.ownerAccountID, .groupOwnerAccountID].map { (attributes[$0] as? NSNumber)?.uint32Value }
  }

  @Test("A command of root works as the owner of the database, not with the group of its folder")
  func owner() async throws {
    try await store()
    let outcome = try await onside.run("backup", "second.sqlite")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let owner = try owner(of: onside.folder.file("second.sqlite"))
    #expect(owner == [Self.user, Self.user])
  }

  @Test("A command of root works as the owner of a database behind a link of root")
  func linkedDatabase() async throws {
    try await store()
    let folder = try TemporaryFolder()
    let link = folder.file("link.sqlite")
    #expect(symlink(onside.folder.file("onside.sqlite"), link) == 0)
    let copy = onside.folder.file("third.sqlite")
    // The lock of that name lies in root's folder, which the owner may not write to.
    let outcome = try await onside.run("backup", copy, "--database", link)
    #expect(outcome.status == 1 && outcome.errors.contains("link.sqlite-lock"), "\(outcome)")
  }

  @Test("A command of root keeps root's rights for a database of root, below a folder of another user")
  func rootsDatabase() async throws {
    let folder = onside.folder.file("root")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(lchown(onside.folder.path, Self.user, Self.user) == 0)
    for app in ["io.example.a", "io.example.b"] {
      let outcome = try await onside.run("app", "add", app, "--database", folder + "/onside.sqlite")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let owner = try owner(of: folder + "/onside.sqlite")
    #expect(owner == [0, 0])
  }

  @Test(
    "A command of root fails, and leaves a file of root as it is, to which a file beside the database links",
    arguments: ["-lock", "-wal"])
  func link(suffix: String) async throws {
    try await store()
    let other = try TemporaryFolder()
    let secret = other.file("secret")
    try Data("root's own".utf8).write(to: URL(filePath: secret))
    chmod(secret, 0o600)
    let link = onside.folder.file("onside.sqlite\(suffix)")
    unlink(link)
    #expect(symlink(secret, link) == 0 && lchown(link, Self.user, Self.user) == 0)
    let outcome = try await onside.run("app", "add", "io.example.c")
    #expect(outcome.status == 1, "\(outcome)")
    _ = try await onside.run("restore", "backup.sqlite")
    let owner = try owner(of: secret)
    #expect(owner == [0, 0])
    let content = try String(contentsOfFile: secret, encoding: .utf8)
    #expect(content == "root's own")
  }
}
