public import ArgumentParser
import OnsideStore
import StoreAccounts
import StoreSales

// Values of the store that are options of commands.

extension RefundRule: ExpressibleByArgument {}
extension StopRefund: ExpressibleByArgument {}
extension DisputeRule: ExpressibleByArgument {}
extension FraudRule: ExpressibleByArgument {}
extension Dispute.State: ExpressibleByArgument {}
extension BuyerRefundRequest.State: ExpressibleByArgument {}
