// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Benchmarks of speed and memory against peers; see docs/performance.md. A package of its own, so that a build of the
/// store does not build it.
let package = Package(
  name: "OnsideBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OnsideKit", path: ".."),
    .package(name: "OnsideStore", path: "../Store"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    .target(name: "LoadLoop"),
    .executableTarget(
      name: "onside-bench",
      dependencies: [
        "LoadLoop",
        .product(name: "OnsideAPI", package: "OnsideKit"),
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "OnsideStore", package: "OnsideStore"),
        .product(name: "OnsideVault", package: "OnsideKit"),
        .product(name: "StoreTestSupport", package: "OnsideStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "onside-wallet-bench",
      dependencies: [
        .product(name: "OnsideWallet", package: "OnsideKit"),
        .product(name: "OnsideWalletImport", package: "OnsideKit"),
        .product(name: "Stellar", package: "OnsideKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "onside-bridge-bench",
      dependencies: [
        .product(name: "OnsideCommerce", package: "OnsideKit"),
        .product(name: "OnsideKit", package: "OnsideKit"),
        .product(name: "OnsideWebKitGTK", package: "OnsideKit"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
