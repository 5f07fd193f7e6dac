import Foundation
import OnsideWallet
import Testing

@Suite("A person's folders", .timeLimit(.minutes(5)))
struct PersonFolderTests {
  @Test(
    "WAL-13: a wallet lies in the XDG folder, else under HOME, and under the password file's home only without HOME",
    arguments: [
      (["HOME": "/h"], "/h/.local/share", "/h/.local/state"),
      (["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"], "/d", "/s"),
      (["HOME": "/h", "XDG_DATA_HOME": "relative", "XDG_STATE_HOME": ""], "/h/.local/share", "/h/.local/state"),
      (["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"], "/d", "/s"),
    ])
  func folders(environment: [String: String], data: String, state: String) throws {
    func path(_ folder: PersonFolder) throws -> String {
      let path = try folder.url(in: environment).path(percentEncoded: false)
      return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
    let (actualData, actualState) = (try path(.data), try path(.state))
    #expect(actualData == data && actualState == state)
  }

  @Test("WAL-13: a HOME that is no absolute path is refused, and no other wallet taken", arguments: ["", "relative"])
  func noPath(home: String) {
    for folder in [PersonFolder.data, .state] {
      #expect(kind { try folder.url(in: ["HOME": home]) } == .storage)
    }
  }

  @Test("WAL-16: the static calls and AuthService() work on the shared storage, and keep a wallet that is there")
  func shared() async throws {
    let wallet = try TestWallet()
    SecureStorage.shared = wallet.service.storage
    let pair = SigningKeyPair.random()
    #expect(try !SecureStorage.hasUser)
    try SecureStorage.storeUserKeyPair(userSigningKeyPair: pair, pin: "908172")
    #expect(try SecureStorage.hasUser)
    let storedAddress = try SecureStorage.getUserKeyPair(pin: "908172").address
    #expect(storedAddress == pair.address)
    #expect(throws: SecureStorageError.invalidPin) { try SecureStorage.getUserKeyPair(pin: "908173") }
    let service = AuthService()
    // Without await, in a function that may wait.
    let address = try service.signIn(pin: "908172")
    #expect(address == pair.address)
    let second = kind { try SecureStorage.storeUserKeyPair(userSigningKeyPair: .random(), pin: "718260") }
    #expect(second == .alreadySignedUp)
    try SecureStorage.deleteAll()
    #expect(throws: SecureStorageError.userNotFound) { try SecureStorage.getUserKeyPair(pin: "908172") }
  }
}
