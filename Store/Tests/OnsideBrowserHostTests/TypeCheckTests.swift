import Foundation
import Glibc
import OnsideKit
import StoreTestSupport
import Testing

/// What TypeScript says of the declarations, and of everything that is written against them.
@MainActor
@Suite(
  "TypeScript", .timeLimit(.minutes(10)),
  .enabled(if: TypeScript.path != nil, "tsc is not installed: sudo apt-get install node-typescript"))
struct TypeCheckTests {
  @Test("JSB-1: the shop's copy of onside.d.ts is what the SDK writes")
  func copy() throws {
    let copy = try String(contentsOf: Stage.shop.appending(path: "onside.d.ts"), encoding: .utf8)
    #expect(copy == BridgeScript.typeDeclarations, "write it again: onside types > Examples/WebShop/onside.d.ts")
  }

  @Test("JSB-1: the web shop passes strict checks")
  func shop() async throws {
    let outcome = try await TypeScript.run(["-p", Stage.shop.appending(path: "jsconfig.json").path])
    #expect(outcome == "")
  }

  @Test("JSB-1: the samples of the guide pass strict checks")
  func guide() async throws {
    // JavaScript's own functions have no types for their parameters; all else is checked strictly.
    let outcome = try await TypeScript.check(
      Guide.typedSources(), and: ["--noImplicitAny", "false", "--useUnknownInCatchVariables", "false"])
    #expect(outcome == "")
  }

  @Test("JSB-1: every type of the declarations can be used as declared")
  func everything() async throws {
    let names = BridgeScript.typeDeclarations.matches(of: /export (?:type|interface) ([A-Za-z]+)/)
      .map { String($0.output.1) }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "uses.ts")
    let uses = try String(contentsOf: file, encoding: .utf8)
    for name in names { #expect(uses.contains(name), "uses.ts does not use \(name)") }
    let outcome = try await TypeScript.check(["uses.ts": uses])
    #expect(outcome == "")
  }

  private static func source(_ name: String) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test("JSB-14: a page written and typed for the published interface compiles unchanged")
  func publishedPage() async throws {
    let page = try Self.source("published-page.ts")
    let outcome = try await TypeScript.check(["published-page.ts": page])
    #expect(outcome == "")
  }

  @Test("JSB-14: values of the published types are ours, and ours are theirs, but for the setters of 1.3")
  func publishedTypes() async throws {
    let published = try Self.source("published.ts")
    let names = published.matches(of: /export (?:type|interface) ([A-Za-z]+)/).map { String($0.output.1) }
    #expect(names.count > 25)
    let lines = names.flatMap { name in
      let ours = name.replacing("Earlier", with: "")
      let there =
        "declare const other\(name): ours.\(ours); export const theirs\(name): theirs.\(name) = other\(name);"
      // Setters of 1.3 return promises, which pages may await and cannot chain here.
      return [
        "declare const one\(name): theirs.\(name); export const ours\(name): ours.\(ours) = one\(name);"
      ] + (name == "OnsideJSBridge" ? [] : [there])
    }
    let source = ["import type * as ours from './onside';", "import type * as theirs from './published';"] + lines
    let outcome = try await TypeScript.check([
      "published.ts": published, "both.ts": source.joined(separator: "\n"),
    ])
    #expect(outcome == "")
  }

  @Test("JSB-1, JSB-14: a classic script may take window.onside into a constant of that name")
  func classicScript() async throws {
    let script = "const { onside } = window;\nonside.getTransactions().then((all) => console.log(all.length));\n"
    let outcome = try await TypeScript.check(["classic.ts": script], and: ["--moduleDetection", "auto"])
    #expect(outcome == "")
  }

  @Test("The scripts that are put into pages use only names and properties that exist")
  func pageScripts() async throws {
    var sources = ["page-scripts.d.ts": Self.pageGlobals]
    for path in [
      "Sources/OnsideKit/Bridge/Scripts/page.js", "Sources/OnsideKit/Bridge/Scripts/webkit.js",
      "Store/Sources/OnsideBrowserHost/Resources/connection.js",
    ] {
      let file = Stage.repository.appending(path: path)
      sources[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
    }
    let outcome = try await TypeScript.check(sources, and: ["--allowJs", "--checkJs", "--strict", "false"])
    #expect(outcome == "")
  }

  /// What the page's scripts use beside the browser's own globals; they are classic HTML scripts, never SVG's.
  private static let pageGlobals = """
    interface Window { webkit: any; onsideReceive: (message: string) => boolean; }
    interface SVGScriptElement { readonly src: string; }
    """

  @Test("JSB-1: what the declarations do not allow is an error")
  func mistakes() async throws {
    let mistakes = [
      "window.onside.purchase('coins_100')", "window.onside.setAppearance('blue')", "window.onside.purchase = null",
      "window.onside.initializeOnside('v2')", "window.onside.shouldContinueTransaction = () => 1",
      "window.onside.loadProducts({ productIdentifiers: 'coins' })", "window.onside.nothing()",
      "window.onside.logout().then(() => {})", "window.onside.onTransactionUpdate = () => {}",
    ]
    let sources = mistakes.enumerated().map { ("mistake\($0.offset).ts", "import './onside';\n\($0.element);\n") }
    let outcome = try await TypeScript.check(Dictionary(uniqueKeysWithValues: sources))
    for (number, mistake) in mistakes.enumerated() {
      #expect(outcome.contains("mistake\(number).ts(2,"), "\(mistake)")
    }
  }
}

/// The compiler of Debian's package node-typescript.
enum TypeScript {
  static let path = ["/usr/bin/tsc", "/usr/local/bin/tsc"].first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Checks sources in a folder of their own beside `onside.d.ts`; what the compiler has to say.
  static func check(_ sources: [String: String], and more: [String] = []) async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-tsc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var sources = sources
    sources["onside.d.ts"] = BridgeScript.typeDeclarations
    for (name, text) in sources {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    let options = [
      "--noEmit", "--strict", "--target", "es2022", "--module", "es2022",
      "--moduleResolution", "node", "--lib", "es2022,dom,dom.iterable", "--moduleDetection", "force",
      // TypeScript's own declarations of the browser are most of the work.
      "--skipDefaultLibCheck",
    ]
    return try await run(options + more + sources.keys.sorted().map { folder.appending(path: $0).path })
  }

  /// Runs the compiler.
  static func run(_ arguments: [String]) async throws -> String {
    let output = FileManager.default.temporaryDirectory.appending(path: "onside-tsc-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: output) }
    let id = try spawn(
      path ?? "", arguments: arguments, environment: ProcessInfo.processInfo.environment,
      files: [.null, .appending(output.path), .appending(output.path)])
    var status: Int32 = 0
    try await NamedDeadline.wait(for: "the end of the type checker", every: .milliseconds(20)) {
      waitpid(id, &status, WNOHANG) != 0
    }
    let said = try String(contentsOf: output, encoding: .utf8)
    return status == 0 ? said : "\(said)\nexit \(status)"
  }
}
