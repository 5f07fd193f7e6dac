import Foundation
import SecretService

/// A program of a desktop session: does what each line that it reads says, and answers with a line.
@main
struct DesktopClient {
  static func main() async {
    // A minute in place of five seconds: a busy machine is not a service that hangs, which "hasty" plays.
    let service = SecretService { try await Task.sleep(for: .seconds($0 * 12)) }
    let session = SessionCommands(Array(CommandLine.arguments.dropFirst()))
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      var answer = await session?.answer(words)
      if answer == nil { answer = await SecretCommands(service: service).answer(words) }
      FileHandle.standardOutput.write(Data("\((answer ?? "what is \(line)?").replacing("\n", with: " "))\n".utf8))
    }
  }
}

/// What there is to ask of the Secret Service. Attributes are `name=value`.
struct SecretCommands {
  let service: SecretService

  func answer(_ words: [String]) async -> String? {
    do throws(SecretServiceError) {
      let pairs = words.dropFirst().map { $0.split(separator: "=").map(String.init) }.filter { $0.count == 2 }
      let attributes = Dictionary(pairs.map { ($0[0], $0[1]) }) { $1 }
      switch words.first {
      case "check": try await service.check()
      case "keep": try await service.keep([UInt8](words[1].utf8), label: "Test", attributes: attributes)
      case "secret": return text(try await service.secret(attributes))
      case "ask": return text(try await service.secret(attributes, mayAsk: true))
      case "values": return try await service.values(of: words[1], where: attributes).sorted().joined(separator: ",")
      case "remove": try await service.remove(attributes)
      case "blocking-hasty": try BlockingSecretService(deadline: 0.01).check()
      case "blocking": try BlockingSecretService().check()
      case "hasty": return text(try await SecretService { _ in }.secret(attributes))
      case "many": return await many(attributes)
      default: return nil
      }
      return "done"
    } catch {
      switch error {
      case .unavailable(let reason): return "unavailable: \(reason)"
      case .locked: return "locked"
      case .timedOut: return "timed out"
      }
    }
  }

  private func text(_ secret: [UInt8]?) -> String { secret.map { String(decoding: $0, as: UTF8.self) } ?? "none" }

  private func many(_ attributes: [String: String]) async -> String {
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { text(try? await service.secret(attributes)) } }
      return await group.reduce(into: Set()) { $0.insert($1) }.sorted().joined(separator: ",")
    }
  }
}
