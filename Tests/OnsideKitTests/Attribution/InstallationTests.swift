import Foundation
import OnsideAPI
import Testing

@testable import OnsideKit

@Suite("The installation's identity", .timeLimit(.minutes(5)))
struct InstallationTests {
  private let world = ClientHarness()

  @Test("Eight clients that start at once in a new folder agree on the installation")
  func firstStart() async throws {
    let tasks = (0..<8).map { _ in
      Task.detached { [world] in
        let installation = Installation(world.dependencies())
        return "\(await installation.id()) \(await installation.device(of: QueueHarness.alice.accountID))"
      }
    }
    var identities: Set<String> = []
    for task in tasks { identities.insert(await task.value) }
    #expect(identities.count == 1)
  }

  @Test("QUE-22: an account's name for the device stays, is no other's, and does not follow from the identifier")
  func device() async throws {
    let installation = Installation(world.dependencies())
    let name = await installation.device(of: QueueHarness.alice.accountID)
    let device = await Installation(world.dependencies()).device(of: QueueHarness.alice.accountID)
    #expect(device == name)
    let secondDevice = await installation.device(of: QueueHarness.bob.accountID)
    #expect(secondDevice != name)
    // The same identifier with another key: another name.
    let other = ClientHarness()
    try await write(#"{"installation":"\#(await installation.id())"}"#, in: other)
    let same = Installation(other.dependencies())
    let sameID = await same.id()
    let expected = await installation.id()
    #expect(sameID == expected)
    let thirdDevice = await same.device(of: QueueHarness.alice.accountID)
    #expect(thirdDevice != name)
  }

  @Test("QUE-22: a file of an older version gets its device key once, and keeps the identifier")
  func olderFile() async throws {
    let id = InstallationID(QueueHarness.uuid(3))
    try await write(#"{"installation":"\#(id)"}"#, in: world)
    let first = Installation(world.dependencies())
    let firstID = await first.id()
    #expect(firstID == id)
    let name = await first.device(of: QueueHarness.alice.accountID)
    let device = await Installation(world.dependencies()).device(of: QueueHarness.alice.accountID)
    #expect(device == name)
  }

  private func write(_ record: String, in world: ClientHarness) async throws {
    let dependencies = world.dependencies()
    let folder = DurableFolder(url: dependencies.storageFolder, files: dependencies.files)
    try folder.make()
    try folder.write([(name: "installation.json", content: Data(record.utf8))])
  }
}
