import ConformanceTable
import HeadlessChromium
import OnsideKit
import Testing

/// A page of an app's own site in a browser or web view, and the world behind it.
@MainActor
final class Web {
  let world: TestedSystem
  let device: TestedDevice
  let bridge: OnsideBridge
  let site: PageSite
  let host: any WebHost
  let page: any WebPage

  private init(
    _ world: TestedSystem, _ device: TestedDevice, _ bridge: OnsideBridge, _ site: PageSite, _ host: any WebHost,
    _ page: any WebPage
  ) {
    (self.world, self.device, self.bridge, self.site, self.host, self.page) = (world, device, bridge, site, host, page)
  }

  /// Makes everything, opens the site's first page, runs the test, and takes everything down.
  static func run(
    limits: BridgeLimits = BridgeLimits(),
    configure: @escaping @MainActor (inout TestedDevice.Settings) -> Void = { _ in },
    _ body: @escaping @MainActor (Web) async throws -> Void
  ) async throws {
    try await TestedSystem.run { world in
      let device = try await world.device(of: world.person(), observed: false, configure)
      let bridge = OnsideBridge(client: device.client, limits: limits)
      let site = try await PageSite.open()
      let result: Result<Void, any Error>
      do {
        let host = try await makeWebHost(bridge, for: site.origin())
        do {
          site.headTag = host.headTag
          let page = try await host.makePage()
          try await page.open(site.address())
          result = .success(try await body(Web(world, device, bridge, site, host, page)))
        } catch { result = .failure(error) }
        await host.close()
      } catch { result = .failure(error) }
      await site.close()
      try result.get()
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// The columns that show web pages.
  static var webColumns: Self { .columns(.webView, .browser, because: "it is about web pages") }

  /// Skips what this machine cannot show.
  static var webInstalled: Self {
    .enabled("Chromium is not installed, or there is no display for WebKitGTK (try xvfb-run -a)") {
      Column.current == .webView ? await hasWebViews() : Chromium.path != nil
    }
  }
}
