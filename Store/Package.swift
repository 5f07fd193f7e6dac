// swift-tools-version: 6.2
import PackageDescription

/// In CI the warnings of our own code are errors.
let warnings: [SwiftSetting] =
  Context.environment["WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
  warnings + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]

/// The dependency on WebKitGTK, on the condition of the root package's manifest.
#if os(Linux)
  let webKit: [Target.Dependency] =
    Context.environment["ONSIDE_WITHOUT_WEBKIT"] == nil
    ? [.product(name: "OnsideWebKitGTK", package: "OnsideKit")] : []
#else
  let webKit: [Target.Dependency] = []
#endif

/// Benchmarks of speed and memory against peers; see docs/performance.md.
let benchmarks: [Target] =
  [
    .target(name: "LoadLoop", path: "Proof/LoadLoop"),
    .executableTarget(
      name: "onside-bench",
      dependencies: [
        "LoadLoop", "OnsideStore", "StoreAccounts", "StoreAnalytics", "StoreBase", "StoreMerchants", "StorePayments",
        "StoreSales", "StoreStripe", "StoreTestSupport", "StoreVault", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "OnsideVault", package: "OnsideKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Proof/onside-bench", swiftSettings: settings),
    .executableTarget(
      name: "onside-wallet-bench",
      dependencies: [
        .product(name: "OnsideWallet", package: "OnsideKit"),
        .product(name: "OnsideWalletImport", package: "OnsideKit"),
        .product(name: "Stellar", package: "OnsideKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Proof/onside-wallet-bench", swiftSettings: settings),
  ]
  + (webKit.isEmpty
    ? []
    : [
      .executableTarget(
        name: "onside-bridge-bench",
        dependencies: [
          .product(name: "OnsideCommerce", package: "OnsideKit"),
          .product(name: "OnsideKit", package: "OnsideKit"),
          .product(name: "Logging", package: "swift-log"),
        ] + webKit,
        path: "Proof/onside-bridge-bench", swiftSettings: settings)
    ])

/// libpq's headers are a Debian package of their own; where they are missing, `ONSIDE_WITHOUT_POSTGRES=1` leaves the
/// client and the engine out.
let postgres: [Target] =
  Context.environment["ONSIDE_WITHOUT_POSTGRES"] == nil
  ? [
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "PostgresClient", dependencies: ["CPostgres"], swiftSettings: settings),
    .testTarget(
      name: "PostgresClientTests", dependencies: ["PostgresClient", "StoreTestSupport"], swiftSettings: settings),
  ] : []

/// Whether the store has its engine on PostgreSQL.
let hasPostgres = !postgres.isEmpty

let package = Package(
  name: "OnsideStore",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "OnsideStore", targets: ["OnsideStore"]),
    .library(name: "OnsideBrowserHost", targets: ["OnsideBrowserHost"]),
    .library(name: "StoreTestSupport", targets: ["StoreTestSupport"]),
    .executable(name: "onside", targets: ["onside"]),
    .executable(name: "onside-conformance", targets: ["onside-conformance"]),
    .executable(name: "onside-demo", targets: ["onside-demo"]),
  ],
  dependencies: [
    .package(name: "OnsideKit", path: ".."),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
  ],
  targets: [
    .target(name: "CEmbeddedTexts", exclude: ["NumberingPlans", "Texts"]),
    .target(name: "CFileIdentity"),
    .target(name: "CMachineClock"),
    .target(
      name: "StoreBase",
      dependencies: [
        "CFileIdentity", "CMachineClock",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ] + (hasPostgres ? ["PostgresClient"] : []),
      exclude: hasPostgres ? [] : ["Persistence/PostgreSQL"],
      swiftSettings: settings),
    .target(
      name: "StoreWeb",
      dependencies: [
        "CEmbeddedTexts", "StoreBase",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      resources: [.embedInCode("Resources")],
      swiftSettings: settings),
    .target(
      name: "StoreAccounts",
      dependencies: [
        "CEmbeddedTexts", "StoreBase", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideVerify", package: "OnsideKit"),
        .product(name: "Stellar", package: "OnsideKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      resources: [.embedInCode("Resources")],
      swiftSettings: settings),
    .target(
      name: "StoreVault",
      dependencies: [
        "StoreBase", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideVault", package: "OnsideKit"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .target(
      name: "StoreAnalytics",
      dependencies: [
        "StoreAccounts", "StoreBase", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      resources: [.embedInCode("Resources")],
      swiftSettings: settings),
    .target(
      name: "StorePayments",
      dependencies: [
        "StoreAccounts", "StoreBase", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      resources: [.embedInCode("Resources")],
      swiftSettings: settings),
    .target(
      name: "StoreStripe",
      dependencies: [
        "StoreAccounts", "StoreBase", "StorePayments", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      resources: [.embedInCode("Resources")],
      swiftSettings: settings),
    .target(
      name: "StoreSales",
      dependencies: [
        "StoreAccounts", "StoreBase", "StorePayments", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideVerify", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Resources")],
      swiftSettings: settings),
    .target(
      name: "StoreMerchants",
      dependencies: [
        "StoreAccounts", "StoreBase", "StoreSales", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: settings),
    .target(
      name: "OnsideStore",
      dependencies: [
        "StoreAccounts", "StoreAnalytics", "StoreBase", "StoreMerchants", "StorePayments", "StoreSales", "StoreStripe",
        "StoreVault", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "TOMLKit", package: "TOMLKit"),
      ] + (hasPostgres ? ["PostgresClient"] : []),
      exclude: hasPostgres ? [] : ["Copies/Move", "Copies/PostgreSQL"],
      swiftSettings: settings),
    .target(
      name: "OnsideBrowserHost",
      dependencies: [
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      resources: [.embedInCode("Resources/connection.js")],
      swiftSettings: settings),
    .executableTarget(
      name: "onside",
      dependencies: [
        "OnsideBrowserHost", "OnsideStore", "StoreAccounts", "StoreAnalytics", "StoreBase", "StoreMerchants",
        "StorePayments", "StoreSales", "StoreStripe", "StoreVault", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "OnsideWallet", package: "OnsideKit"),
        .product(name: "OnsideWalletImport", package: "OnsideKit"),
        .product(name: "Stellar", package: "OnsideKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .target(
      name: "ScriptedBrowser",
      dependencies: ["StoreTestSupport", .product(name: "OnsideAPI", package: "OnsideKit")],
      path: "Tests/Support/ScriptedBrowser", swiftSettings: settings),
    .executableTarget(
      name: "onside-demo",
      dependencies: [
        "HeadlessChromium", "ScriptedBrowser", "StoreTestSupport",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "JWTKit", package: "jwt-kit"),
      ],
      path: "Proof/onside-demo", swiftSettings: settings),
    .executableTarget(
      name: "onside-test-device",
      dependencies: [
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
      ],
      path: "Proof/onside-test-device", swiftSettings: settings),
    // What test targets and the conformance tests use alike.
    .target(
      name: "StoreTestSupport",
      dependencies: [
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Support/StoreTestSupport",
      swiftSettings: settings + (hasPostgres ? [] : [.define("ONSIDE_WITHOUT_POSTGRES")])),
    .target(
      name: "HeadlessChromium", dependencies: ["StoreTestSupport"], path: "Tests/Support/HeadlessChromium",
      swiftSettings: settings),
    // For tests: a Stripe of their own.
    .target(
      name: "StripeDouble",
      dependencies: [
        "StoreTestSupport",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      path: "Tests/Support/StripeDouble", swiftSettings: settings),
    .target(
      name: "ConformanceTable",
      dependencies: [.product(name: "Mustache", package: "swift-mustache")],
      path: "Proof/ConformanceTable",
      resources: [.embedInCode("Resources/behaviours.md"), .embedInCode("Resources/report.html.mustache")],
      swiftSettings: settings),
    .target(
      name: "OnsideConformance",
      dependencies: [
        "ConformanceTable", "HeadlessChromium", "OnsideBrowserHost", "OnsideStore", "ScriptedBrowser", "StoreAccounts",
        "StoreAnalytics", "StoreBase", "StoreMerchants", "StorePayments", "StoreSales", "StoreStripe",
        "StoreTestSupport", "StoreWeb", "StripeDouble", "onside-test-device",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "OnsideVerify", package: "OnsideKit"),
        .product(name: "OnsideWallet", package: "OnsideKit"),
        .product(name: "Stellar", package: "OnsideKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ] + webKit,
      path: "Proof/OnsideConformance", swiftSettings: settings),
    .executableTarget(
      name: "onside-conformance",
      dependencies: [
        "ConformanceTable", "OnsideConformance", "StoreTestSupport", "onside-test-device",
        .product(name: "OnsideSimulation", package: "OnsideKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Proof/onside-conformance", swiftSettings: settings),
    .testTarget(name: "ConformanceTableTests", dependencies: ["ConformanceTable"], swiftSettings: settings),
    .target(
      name: "StoreBaseTestSupport",
      dependencies: ["StoreBase", "StoreTestSupport"] + (hasPostgres ? ["PostgresClient"] : []),
      path: "Tests/Support/StoreBaseTestSupport",
      exclude: hasPostgres ? [] : ["PostgresTestDatabase.swift"],
      swiftSettings: settings),
    .testTarget(
      name: "StoreBaseTests",
      dependencies: [
        "StoreBase", "StoreBaseTestSupport", "StoreTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "OnsideAPI", package: "OnsideKit"),
      ] + (hasPostgres ? ["PostgresClient"] : []),
      exclude: hasPostgres ? [] : ["PostgreSQL"],
      swiftSettings: settings),
    .testTarget(name: "StoreWebTests", dependencies: ["StoreTestSupport", "StoreWeb"], swiftSettings: settings),
    .testTarget(
      name: "StoreAccountsTests",
      dependencies: [
        "StoreAccounts", "StoreBase", "StoreBaseTestSupport", "StoreTestSupport", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      exclude: ["Login/Fixtures", "Messages/mailserver.py"],
      swiftSettings: settings),
    .testTarget(
      name: "StoreVaultTests",
      dependencies: ["StoreVault", .product(name: "OnsideAPI", package: "OnsideKit")],
      swiftSettings: settings),
    .testTarget(
      name: "StoreMerchantsTests",
      dependencies: [
        "StoreBase", "StoreBaseTestSupport", "StoreMerchants", "StoreSales", "StoreTestSupport", "StoreWeb",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StoreStripeTests",
      dependencies: [
        "StoreBaseTestSupport", "StoreStripe", "StoreTestSupport", "StripeDouble",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["peer.py"],
      swiftSettings: settings),
    // The coverage counters of the tests that `script/acts` runs.
    .systemLibrary(name: "CStoreActCounters", path: "Tests/Support/CStoreActCounters"),
    .testTarget(
      name: "OnsideStoreTests",
      dependencies: [
        "CStoreActCounters", "HeadlessChromium", "OnsideStore", "StoreAccounts", "StoreAnalytics", "StoreBase",
        "StoreMerchants", "StorePayments", "StoreSales", "StoreStripe", "StoreVault", "StoreWeb",
        "ScriptedBrowser",
        "StoreBaseTestSupport",
        "StoreTestSupport",
        "StripeDouble",
        .product(name: "OnsideVault", package: "OnsideKit"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Stellar", package: "OnsideKit"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "Yams", package: "Yams"),
      ],
      exclude: ["OAuth/Clients", "OpenID/provider.py", "Persistence/Fixtures"]
        + (hasPostgres ? [] : ["Persistence/PostgreSQL"]),
      swiftSettings: settings),
    .testTarget(
      name: "OnsideBrowserHostTests",
      dependencies: [
        "HeadlessChromium", "OnsideBrowserHost", "StoreTestSupport",
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      exclude: ["uses.ts", "published.ts", "published-page.ts", "firefox.py"],
      swiftSettings: settings),
    .testTarget(
      name: "OnsideCLITests",
      dependencies: [
        "HeadlessChromium", "onside", "OnsideStore", "StoreAccounts", "StoreAnalytics", "StoreBase", "StoreMerchants",
        "StorePayments", "StoreSales", "StoreStripe", "StoreVault",
        "StoreWeb", "ScriptedBrowser",
        "StoreTestSupport",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideVault", package: "OnsideKit"),
        .product(name: "Stellar", package: "OnsideKit"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
  ] + postgres + benchmarks,
  swiftLanguageModes: [.v6]
)
