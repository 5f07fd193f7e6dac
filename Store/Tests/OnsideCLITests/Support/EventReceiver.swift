import Foundation
import StoreTestSupport

/// A merchant's server in Python: it checks signatures with the secret in a file, and prints a line for each request.
final class EventReceiver: Sendable {
  /// A request.
  struct Delivery: Decodable, Sendable {
    let id: String
    /// True if the signature is valid.
    let valid: Bool
    let body: String
  }

  /// The address of the endpoint.
  let url: String
  private let server: ChildServer

  /// - Parameters:
  ///   - secretFile: the file of the secret, in the folder.
  ///   - status: the status of each answer.
  init(in folder: TemporaryFolder, secretFile: String, status: Int = 204) async throws {
    let name = "receiver-\(UUID().uuidString)"
    try folder.write("\(name).py", text: Self.program)
    let server = try ChildServer(
      "/usr/bin/python3", arguments: [folder.file("\(name).py"), folder.file(secretFile), "\(status)"],
      output: folder.file("\(name).out"))
    let port = try await server.line(0)
    self.server = server
    url = "http://127.0.0.1:\(port)/webhooks"
  }

  /// The requests so far.
  var deliveries: [Delivery] {
    get throws { try server.lines.dropFirst().map { try JSONDecoder().decode(Delivery.self, from: Data($0.utf8)) } }
  }

  private static let program = #"""
    import base64, hashlib, hmac, http.server, json, sys

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            key = base64.b64decode(open(sys.argv[1]).read().strip().removeprefix("whsec_"))
            head = "%s.%s." % (self.headers["webhook-id"], self.headers["webhook-timestamp"])
            code = hmac.new(key, head.encode() + body, hashlib.sha256).digest()
            valid = self.headers["webhook-signature"] == "v1," + base64.b64encode(code).decode()
            print(json.dumps({"id": self.headers["webhook-id"], "valid": valid, "body": body.decode()}))
            self.send_response(int(sys.argv[2]))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port)
    server.serve_forever()
    """#
}
