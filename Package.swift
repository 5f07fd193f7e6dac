// swift-tools-version: 6.2
import PackageDescription

/// What an app, a web wrapper or a merchant's server links. Its dependencies stay these two: SwiftPM makes an app
/// download every dependency of a package, whichever product it uses.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "OnsideKit",
  defaultLocalization: "en",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "OnsideCommerce", targets: ["OnsideCommerce"]),
    .library(name: "OnsideAPI", targets: ["OnsideAPI"]),
    .library(name: "OnsideKit", targets: ["OnsideKit"]),
    .library(name: "OnsideTestKit", targets: ["OnsideTestKit"]),
    .library(name: "OnsideSimulation", targets: ["OnsideSimulation"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "OnsideCommerce", swiftSettings: settings),
    .target(name: "OnsideAPI", dependencies: ["OnsideCommerce"], swiftSettings: settings),
    .target(
      name: "OnsideKit",
      dependencies: [
        "OnsideAPI", "OnsideCommerce",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "OnsideTestKit",
      dependencies: ["OnsideKit", "OnsideAPI", "OnsideCommerce", .product(name: "Logging", package: "swift-log")],
      swiftSettings: settings),
    .target(
      name: "OnsideSimulation",
      dependencies: ["OnsideKit", "OnsideAPI", "OnsideCommerce", .product(name: "Logging", package: "swift-log")],
      swiftSettings: settings),
    .testTarget(
      name: "OnsideCommerceTests", dependencies: ["OnsideCommerce"], exclude: ["Files"], swiftSettings: settings),
    .testTarget(name: "OnsideAPITests", dependencies: ["OnsideAPI"], swiftSettings: settings),
    .testTarget(name: "OnsideKitTests", dependencies: ["OnsideKit"], swiftSettings: settings),
    .testTarget(name: "OnsideTestKitTests", dependencies: ["OnsideTestKit"], swiftSettings: settings),
    .testTarget(
      name: "OnsideSimulationTests",
      dependencies: [
        "OnsideSimulation", "OnsideKit", "OnsideAPI", "OnsideCommerce",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

#if os(Linux)
  /// WebKitGTK's headers are a Debian package of their own; where they are missing, `ONSIDE_WITHOUT_WEBKIT=1` leaves out what
  /// needs them.
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
        dependencies: ["CWebKitGTK", "OnsideKit", .product(name: "Logging", package: "swift-log")],
        swiftSettings: settings),
      .executableTarget(
        name: "onside-shop", dependencies: ["OnsideWebKitGTK", "OnsideKit"], swiftSettings: settings),
      .executableTarget(
        name: "onside-storeapp", dependencies: ["OnsideWebKitGTK", "OnsideKit"], swiftSettings: settings),
      .executableTarget(
        name: "gtk-loop-app", dependencies: ["CWebKitGTK", "OnsideWebKitGTK", "OnsideKit", "OnsideCommerce"],
        path: "Tests/GTKLoopApp", swiftSettings: settings),
      .testTarget(
        name: "OnsideWebKitGTKTests",
        dependencies: [
          "gtk-loop-app", "onside-storeapp", "OnsideWebKitGTK", "OnsideKit", "OnsideTestKit", "CWebKitGTK",
        ],
        swiftSettings: settings),
    ]
  }
#endif
