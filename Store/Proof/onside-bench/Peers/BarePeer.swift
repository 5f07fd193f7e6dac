import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The peer of the store's HTTP: a bare Hummingbird that answers every path with the same bytes.
struct BarePeer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(shouldDisplay: false)

  @Option(help: "The file with the bytes to answer with.") var body: String?
  @Option(help: "The header fields of the answer, as name: value.") var header: [String] = []
  @Flag(help: "Never answer, like a poll that waits.") var waits = false

  func run() async throws {
    var logger = Logger(label: "bare-peer")
    logger.logLevel = .error
    let bytes = ByteBuffer(bytes: try body.map { try Data(contentsOf: URL(filePath: $0)) } ?? Data())
    let fields = fields
    let router = Router()
    let waits = waits
    router.get("**") { _, _ in
      if waits { try await Platform.wait(3600) }
      return Response(status: .ok, headers: fields, body: .init(byteBuffer: bytes))
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0), backlog: 1024),
      onServerRunning: { channel in
        print("http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
        fflush(nil)
      }, logger: logger)
    try await application.runService()
  }

  private var fields: HTTPFields {
    var fields = HTTPFields()
    for line in header {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
      fields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
    }
    return fields
  }
}
