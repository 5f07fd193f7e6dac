import NIOCore

/// Closes a new connection of a network that has as many as one may have.
package final class ConnectionLimitHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let connections: NetworkCount
  private var network: String?

  package init(connections: NetworkCount) {
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    guard let address = context.remoteAddress?.ipAddress else { return }
    let network = NetworkPrefix.ofHousehold(address)
    guard connections.add(of: network) else { return context.close(promise: nil) }
    self.network = network
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if let network { connections.subtract(of: network) }
    network = nil
  }
}
