import StoreWeb
import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct AddressGuardTests {
  private static let publicOnes = [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
    "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1", "2001:4860:4860::8888", "2a00:1450::1",
    "3ffe::1", "3fff:1000::", "::ffff:1.1.1.1", "2002:101:101::", "64:ff9b::1.1.1.1",
  ]
  private static let others = [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
    "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255",
    "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1",
    "203.0.113.1", "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255",
    "::", "::1", "::7f00:1", "::ffff:0.0.0.0", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
    "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::", "100:0:0:1::", "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::", "2001:10::", "2001:1ff:ffff::", "2001:db8::",
    "2001:db8:ffff::1", "2002:a00:1::", "2002:7f00:1::", "2002:c0a8:101::", "2002:a9fe:a9fe::", "3fff::", "3fff:fff::",
    "4000::", "5f00::", "fc00::", "fdff:ffff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
  ]
  private static let privateOnes = [
    "10.0.0.1", "100.64.0.1", "127.0.0.1", "172.31.255.255", "192.168.1.1", "::1", "::ffff:10.0.0.1", "fc00::1",
    "fd12:3456::1",
  ]
  private static let neitherOnes = [
    "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "::", "fe80::1", "ff02::1",
    "64:ff9b::169.254.169.254",
    "fe80::1%eth0", "2001::1", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254",
    "::ffff:100.100.100.200", "64:ff9b::168.63.129.16",
  ]

  @Test("a global address is public", arguments: publicOnes)
  func publicAddress(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressGuard.isPublic(address))
    #expect(!AddressGuard.isPrivate(address))
  }

  @Test("a special address is not public", arguments: others)
  func specialAddress(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!AddressGuard.isPublic(address))
  }

  @Test("addresses of private networks and of this machine are private", arguments: privateOnes)
  func privateAddress(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressGuard.isPrivate(address))
    #expect(!AddressGuard.isPublic(address))
  }

  @Test(
    "link-local, multicast, unspecified and metadata addresses are neither public nor private", arguments: neitherOnes)
  func neither(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!AddressGuard.isPrivate(address))
    #expect(!AddressGuard.isPublic(address))
  }

  @Test("an IPv4-mapped address counts as IPv4 also in its 16 bytes")
  func mapped() {
    let bytes: [UInt8] = Array(repeating: 0, count: 10) + [255, 255]
    #expect(!AddressGuard.isPublic(.six(bytes + [10, 0, 0, 1])))
    #expect(AddressGuard.isPublic(.six(bytes + [1, 1, 1, 1])))
  }

  @Test("the text of an address is parsed as the same address", arguments: publicOnes + others)
  func text(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(IPAddress(address.description) == address)
  }
}
