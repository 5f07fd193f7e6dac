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

/// `OnsideWebKitGTK` imports WebKitGTK only with this trait. An app without a web view passes `traits: []`,
/// because SwiftPM warns in each build about flags of `webkitgtk-6.0` that it does not pass on, such as `-pthread`.
let webViews: Set<Trait> = [
  .trait(name: "WebKitGTK", description: "Web views on Linux, with the library OnsideWebKitGTK."),
  .default(enabledTraits: ["WebKitGTK"]),
]

/// Programs and helpers that tests start on Linux: a session bus, a keyring.
#if os(Linux)
  let desktopSession: [Target.Dependency] = ["DesktopSession", "desktop-client"]
#else
  let desktopSession: [Target.Dependency] = []
#endif

/// The package that an app, a web wrapper or a merchant's server links. It has these two dependencies only, because
/// SwiftPM makes an app download every dependency of a package, whichever product it uses.
let package = Package(
  name: "OnsideKit",
  defaultLocalization: "en",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "OnsideCommerce", targets: ["OnsideCommerce"]),
    .library(name: "OnsideAPI", targets: ["OnsideAPI"]),
    .library(name: "OnsideVerify", targets: ["OnsideVerify"]),
    .library(name: "OnsideVault", targets: ["OnsideVault"]),
    .library(name: "OnsideWallet", targets: ["OnsideWallet"]),
    .library(name: "OnsideWalletImport", targets: ["OnsideWalletImport"]),
    .library(name: "OnsideKit", targets: ["OnsideKit"]),
    .library(name: "OnsideTestKit", targets: ["OnsideTestKit"]),
    // Not for apps: `onside-conformance` in `Store/` runs the simulation, and a package links only products of another.
    .library(name: "OnsideSimulation", targets: ["OnsideSimulation"]),
    .library(name: "Stellar", targets: ["Stellar"]),
  ],
  traits: webViews,
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "OnsideCommerce", swiftSettings: settings),
    .systemLibrary(
      name: "CSodium", path: "Sources/Wallet/CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .target(name: "Sodium", dependencies: ["CSodium"], path: "Sources/Wallet/Sodium", swiftSettings: settings),
    .target(name: "Stellar", dependencies: ["Sodium"], path: "Sources/Wallet/Stellar", swiftSettings: settings),
    .target(name: "CTPM", path: "Sources/Wallet/CTPM"),
    .target(name: "TPM", dependencies: ["CTPM", "Sodium"], path: "Sources/Wallet/TPM", swiftSettings: settings),
    .target(name: "SecretService", swiftSettings: settings),
    .target(name: "OnsideAPI", dependencies: ["OnsideCommerce"], swiftSettings: settings),
    .target(
      name: "OnsideVerify",
      dependencies: ["OnsideAPI", "OnsideCommerce", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: settings),
    .target(name: "DeterministicRandom", swiftSettings: settings),
    // In Swift 5 the type of a completion on the main actor is not `Sendable`: see `OnsideCompletion`.
    .target(name: "OnsideCompletions", swiftSettings: warnings + [.swiftLanguageMode(.v5)]),
    .target(
      name: "OnsideVault", dependencies: ["OnsideAPI", "Sodium"], path: "Sources/Wallet/OnsideVault",
      swiftSettings: settings),
    .target(
      name: "OnsideWallet",
      dependencies: [
        "OnsideAPI", "OnsideVault", .target(name: "SecretService", condition: .when(platforms: [.linux])), "Sodium",
        "Stellar", "TPM",
      ],
      path: "Sources/Wallet/OnsideWallet", swiftSettings: settings),
    .target(
      name: "OnsideWalletImport",
      dependencies: [
        "OnsideWallet", "Sodium", "Stellar", .product(name: "CryptoExtras", package: "swift-crypto"),
      ],
      path: "Sources/Wallet/OnsideWalletImport", swiftSettings: settings),
    .target(
      name: "OnsideKit",
      dependencies: [
        "OnsideAPI", "OnsideCommerce", "OnsideCompletions", "OnsideVerify",
        .target(name: "SecretService", condition: .when(platforms: [.linux])),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [
        .embedInCode("Bridge/Scripts/page.js"), .embedInCode("Bridge/Scripts/webkit.js"),
      ],
      swiftSettings: settings),
    .target(
      name: "OnsideTestKit",
      dependencies: [
        "DeterministicRandom", "OnsideKit", "OnsideAPI", "OnsideCommerce",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "OnsideSimulation",
      dependencies: [
        "DeterministicRandom", "OnsideKit", "OnsideAPI", "OnsideCommerce", "OnsideVerify",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Proof/OnsideSimulation", swiftSettings: settings),
    // The coverage counters of the tests that `script/acts` runs.
    .systemLibrary(name: "CActCounters", path: "Tests/Support/CActCounters"),
    .target(
      name: "TestSupport", dependencies: [.product(name: "Logging", package: "swift-log")],
      path: "Tests/Support/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "OnsideCommerceTests", dependencies: ["DeterministicRandom", "OnsideCommerce"], exclude: ["Files"],
      swiftSettings: settings),
    .testTarget(name: "SodiumTests", dependencies: ["Sodium"], swiftSettings: settings),
    .testTarget(
      name: "StellarTests", dependencies: ["DeterministicRandom", "Stellar", "Sodium"],
      exclude: ["Corpus", "Peer", "Vectors"], swiftSettings: settings),
    .testTarget(name: "OnsideAPITests", dependencies: ["OnsideAPI"], swiftSettings: settings),
    .testTarget(
      name: "OnsideVerifyTests",
      dependencies: [
        "DeterministicRandom", "OnsideAPI", "OnsideCommerce", "OnsideVerify",
        .product(name: "Crypto", package: "swift-crypto"),
      ], swiftSettings: settings),
    .testTarget(
      name: "OnsideVaultTests", dependencies: ["OnsideVault", "OnsideAPI", "Sodium"],
      resources: [.copy("Files")], swiftSettings: settings),
    .executableTarget(
      name: "wallet-test-program",
      dependencies: ["OnsideAPI", "OnsideVault", "OnsideWallet", "OnsideWalletImport", "Sodium", "Stellar"],
      path: "Tests/Support/WalletProgram", swiftSettings: settings),
    .testTarget(
      name: "OnsideWalletTests",
      dependencies: [
        "OnsideAPI", "OnsideKit", "OnsideVault", "OnsideWallet", "Sodium", "Stellar", "TPM", "wallet-test-program",
      ] + desktopSession,
      resources: [.copy("Files")], swiftSettings: settings),
    // The published calls of the wallet, compiled in both language modes; the second folder links to the files of the
    // first.
    .testTarget(
      name: "WalletCallShapes6", dependencies: ["OnsideWallet"], swiftSettings: warnings + [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "WalletCallShapes5", dependencies: ["OnsideWallet"], swiftSettings: warnings + [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "OnsideWalletImportTests", dependencies: ["OnsideWallet", "OnsideWalletImport", "Stellar"],
      resources: [.copy("Files")], swiftSettings: settings),
    // Every published call, as apps write it. No upcoming features: apps have none.
    .testTarget(
      name: "PublishedCallsSwift5Tests", dependencies: ["OnsideKit", "OnsideTestKit"],
      path: "Tests/PublishedCalls/Swift5", swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "CompletionCalls5", dependencies: ["OnsideKit"], path: "Tests/PublishedCalls/Completions",
      swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]),
    .testTarget(
      name: "PublishedCallsSwift6Tests", dependencies: ["OnsideKit", "OnsideTestKit"],
      path: "Tests/PublishedCalls/Swift6", swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "OnsideKitTests",
      dependencies: [
        "CActCounters", "DeterministicRandom", "OnsideKit", "OnsideSimulation", "OnsideVerify", "TestSupport",
      ],
      exclude: ["Files"], swiftSettings: settings),
    .testTarget(name: "OnsideTestKitTests", dependencies: ["OnsideTestKit"], swiftSettings: settings),
    .testTarget(
      name: "OnsideSimulationTests",
      dependencies: [
        "DeterministicRandom", "OnsideSimulation", "OnsideKit", "OnsideAPI", "OnsideCommerce",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

#if os(Linux)
  package.targets += [
    .target(name: "DesktopSession", path: "Tests/Support/DesktopSession", swiftSettings: settings),
    .executableTarget(
      name: "desktop-client",
      dependencies: [
        "OnsideKit", "OnsideAPI", "OnsideCommerce", "SecretService", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Support/DesktopClient", swiftSettings: settings),
    .testTarget(
      name: "SecretServiceTests", dependencies: ["desktop-client", "DesktopSession", "OnsideKit", "SecretService"],
      swiftSettings: settings),
  ]

  /// WebKitGTK's headers are a Debian package of their own; where they are missing, `ONSIDE_WITHOUT_WEBKIT=1` leaves
  /// out the targets that need them.
  if Context.environment["ONSIDE_WITHOUT_WEBKIT"] == nil {
    package.products += [
      .library(name: "OnsideWebKitGTK", targets: ["OnsideWebKitGTK"]),
      .executable(name: "onside-shop", targets: ["onside-shop"]),
      .executable(name: "onside-storeapp", targets: ["onside-storeapp"]),
    ]
    package.targets += [
      .systemLibrary(
        name: "CWebKitGTK", pkgConfig: "webkitgtk-6.0", providers: [.apt(["libwebkitgtk-6.0-dev"])]),
      .target(
        name: "OnsideWebKitGTK",
        dependencies: [
          .target(name: "CWebKitGTK", condition: .when(traits: ["WebKitGTK"])), "OnsideKit",
          .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: settings),
      .executableTarget(
        name: "onside-shop", dependencies: ["OnsideWebKitGTK", "OnsideKit"], swiftSettings: settings),
      .executableTarget(
        name: "onside-storeapp", dependencies: ["OnsideWebKitGTK", "OnsideKit", "OnsideAPI", "OnsideCommerce"],
        swiftSettings: settings),
      .executableTarget(
        name: "gtk-loop-app", dependencies: ["CWebKitGTK", "OnsideWebKitGTK", "OnsideKit", "OnsideCommerce"],
        path: "Tests/Support/GTKLoopApp", swiftSettings: settings),
      .testTarget(
        name: "OnsideWebKitGTKTests",
        dependencies: [
          "DesktopSession", "gtk-loop-app", "onside-storeapp", "OnsideCommerce", "OnsideWebKitGTK", "OnsideKit",
          "OnsideTestKit", "TestSupport", "CWebKitGTK",
        ],
        swiftSettings: settings),
    ]
  }
#endif
