import ConformanceTable
import HeadlessChromium
import OnsideCommerce
import OnsideKit
import Testing

/// A page of an app's own site in a browser or web view, and the system behind it.
@MainActor
final class Web {
  let system: TestedSystem
  let device: TestedDevice
  let bridge: OnsideBridge
  let site: PageSite
  let host: any WebHost
  let page: any WebPage

  private init(
    _ system: TestedSystem, device: TestedDevice, bridge: OnsideBridge, site: PageSite, host: any WebHost,
    page: any WebPage
  ) {
    (self.system, self.device, self.bridge, self.site, self.host, self.page) = (
      system, device, bridge, site, host, page
    )
  }

  /// Makes everything, opens the site's first page, runs the test, and takes everything down.
  static func run(
    limits: BridgeLimits = BridgeLimits(), offering offers: [Offer] = [],
    configure: @escaping @MainActor (inout TestedDevice.Settings) -> Void = { _ in },
    _ body: @escaping @MainActor (Web) async throws -> Void
  ) async throws {
    try await TestedSystem.run(offering: offers) { system in
      let device = try await system.device(of: system.user(), observed: false, configure)
      let bridge = OnsideBridge(client: device.client, limits: limits)
      let site = try await PageSite.open()
      let result: Result<Void, any Error>
      do {
        let host = try await makeWebHost(bridge, for: site.origin())
        do {
          site.headTag = host.headTag
          let page = try await host.makePage()
          try await page.open(site.address())
          result = .success(
            try await body(Web(system, device: device, bridge: bridge, site: site, host: host, page: page)))
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
