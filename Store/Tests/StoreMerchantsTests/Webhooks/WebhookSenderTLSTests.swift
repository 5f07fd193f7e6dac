import Hummingbird
import NIOSSL
import StoreTestSupport
import StoreWeb
import Testing

@testable import StoreMerchants

private enum OpenSSL {
  static let path = ChildServer.path("/usr/bin/openssl")
}

/// A receiver with a certificate for `hooks.example` alone.
@Suite(.enabled(if: OpenSSL.path != nil), .timeLimit(.minutes(5))) struct WebhookSenderTLSTests {
  private let folder: TemporaryFolder
  private let server: TLSConfiguration
  private let certificate: String

  init() async throws {
    folder = try TemporaryFolder()
    let key = folder.file("key.pem")
    certificate = folder.file("certificate.pem")
    let maker = try ChildServer(
      try #require(OpenSSL.path),
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=hooks.example", "-addext", "subjectAltName=DNS:hooks.example", "-keyout", key, "-out", certificate,
      ], output: folder.file("openssl"))
    try await maker.end()
    server = .makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
  }

  /// The outcome of a delivery to a host whose address is that of the receiver.
  private func outcome(
    host: String, from receiver: WebhookReceiver, trusts certificate: String?
  ) async -> WebhookOutcome {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let certificate { tls.trustRoots = .file(certificate) }
    let sender = WebhookSender(isSandbox: false, limit: .seconds(120), tls: tls) { _ in [.four([127, 0, 0, 1])] }
    return await sender.send(receiver.request(receiver.url(scheme: "https", host: host))).outcome
  }

  @Test("a certificate is verified for the name of the host, not for the address of the connection")
  func certificateName() async throws {
    let certificate = certificate
    try await WebhookReceiver.run(tls: server, answer: { Response(status: .ok) }) { receiver in
      let own = await outcome(host: "hooks.example", from: receiver, trusts: certificate)
      #expect(own == .delivered)
      let other = await outcome(host: "other.example", from: receiver, trusts: certificate)
      #expect(other == .tlsFailed)
      let unknown = await outcome(host: "hooks.example", from: receiver, trusts: nil)
      #expect(unknown == .tlsFailed)
      #expect(receiver.requests.count == 1)
    }
  }

  @Test("a server without TLS fails")
  func plainServer() async throws {
    try await WebhookReceiver.run(answer: { Response(status: .ok) }) { receiver in
      let failed = await outcome(host: "hooks.example", from: receiver, trusts: nil)
      #expect(failed == .tlsFailed)
      #expect(receiver.requests.isEmpty)
    }
  }
}
