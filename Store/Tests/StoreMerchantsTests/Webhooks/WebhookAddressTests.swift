import StoreWeb
import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct WebhookAddressTests {
  private func address(
    _ text: String, allowsPrivate: Bool = false, isSandbox: Bool = false
  ) throws(WebhookAddressError) -> WebhookAddress {
    try WebhookAddress(text, allowsPrivate: allowsPrivate, isSandbox: isSandbox)
  }

  private static let validOnes = [
    ("https://shop.example/hooks?tenant=7", "https://shop.example/hooks?tenant=7", "shop.example"),
    ("HTTPS://Shop.Example:8443/Hooks", "https://shop.example:8443/Hooks", "shop.example"),
    ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
    ("https://1.1.1.1/", "https://1.1.1.1/", "1.1.1.1"),
    ("https://[2606:4700::1111]:1/a", "https://[2606:4700::1111]:1/a", "2606:4700::1111"),
  ]

  @Test("an address with https is valid, with any port; scheme and host get lower case", arguments: validOnes)
  func valid(text: String, normal: String, host: String) throws {
    let address = try address(text)
    #expect(address.text == normal)
    #expect(address.host == host)
  }

  private static let invalidOnes: [(String, WebhookAddressError)] = [
    ("", .form), ("shop.example/hooks", .form), ("ftp://shop.example/", .form), ("http+unix://%2Ftmp%2Fa/", .form),
    ("https://shop.example/a b", .form), ("https://bücher.example/", .form),
    ("https://shop.example/\(String(repeating: "a", count: 2048))", .form),
    ("https://user@shop.example/", .userInfo), ("https://user:word@shop.example/", .userInfo),
    ("https://shop.example/#part", .fragment), ("https://shop.example:0/", .port),
    ("https://shop.example:65536/", .port), ("https:///hooks", .host), ("https://shop,example/", .host),
    ("https://sh%6fp.example/", .host),
    ("http://shop.example/", .insecure), ("https://127.0.0.1/", .notPermitted),
    ("https://[::1]:8443/", .notPermitted), ("https://[::ffff:10.0.0.1]/", .notPermitted),
    ("https://169.254.169.254/", .notPermitted),
  ]

  @Test("another address is rejected", arguments: invalidOnes)
  func invalid(text: String, error: WebhookAddressError) {
    #expect(throws: error) { try address(text) }
  }

  @Test("an IPv6 address with a zone is rejected")
  func zone() {
    #expect(throws: WebhookAddressError.self) { try address("https://[fe80::1%25eth0]/", allowsPrivate: true) }
  }

  @Test("http is valid in a sandbox, and in production with a permission for private addresses only")
  func plainHTTP() throws {
    let (global, own) = (IPAddress.four([1, 1, 1, 1]), IPAddress.four([10, 0, 0, 1]))
    let inSandbox = try address("http://shop.example/", isSandbox: true)
    #expect(inSandbox.permits(global))
    #expect(!inSandbox.permits(own))
    let inProduction = try address("http://shop.example/", allowsPrivate: true)
    #expect(!inProduction.permits(global))
    #expect(inProduction.permits(own))
    #expect(throws: WebhookAddressError.notPermitted) { try address("http://1.1.1.1/", allowsPrivate: true) }
    #expect(throws: Never.self) { try address("http://10.0.0.1:8080/", allowsPrivate: true) }
  }

  @Test("https with a permission for private addresses reaches public and private ones, but no link-local one")
  func permission() throws {
    let address = try address("https://shop.example/", allowsPrivate: true)
    #expect(address.permits(.four([1, 1, 1, 1])))
    #expect(address.permits(.four([127, 0, 0, 1])))
    #expect(!address.permits(.four([169, 254, 169, 254])))
    #expect(!address.permits(.four([0, 0, 0, 0])))
  }
}
