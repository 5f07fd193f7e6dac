"""Checks of the tests' double of Stripe, and of the store's client, with Stripe's own library.

Each command prints its findings, a line each, and then DONE. No finding is what a test expects.
"""

import base64
import importlib
import json
import sys
import typing

import stripe
from stripe._object_classes import get_object_class
from typing_extensions import get_args, get_origin, get_type_hints, is_typeddict

FINDINGS = []


def expect(condition, text):
    if not condition:
        FINDINGS.append(text)


def refused(error_class, body):
    """The error that a call ends with."""
    try:
        body()
    except stripe.StripeError as error:
        expect(type(error) is error_class, f"expected {error_class.__name__}, got {type(error).__name__}: {error}")
        return error
    FINDINGS.append(f"expected {error_class.__name__}, got none")
    raise SystemExit("\n".join(FINDINGS))


# Objects: every field that the library says is always there, no field that it does not know, no unknown name.


def literals(annotation):
    if get_origin(annotation) is typing.Literal:
        return {value for value in get_args(annotation) if isinstance(value, str)}
    return set().union(*[literals(part) for part in get_args(annotation)]) if get_args(annotation) else set()


def check_object(value, place):
    kind = type(value)
    names = {
        name: annotation
        for name, annotation in vars(kind).get("__annotations__", {}).items()
        if get_origin(annotation) is not typing.ClassVar and not name.startswith("_")
    }
    if not names or kind.__name__ in ("StripeObject", "UntypedStripeObject"):
        return
    fields = value.to_dict(recursive=False)
    if fields.get("deleted"):
        return
    for name, annotation in names.items():
        is_optional = get_origin(annotation) is typing.Union and type(None) in get_args(annotation)
        expect(is_optional or fields.get(name) is not None, f"{place}: {name} is missing")
        known = literals(annotation)
        if known and isinstance(fields.get(name), str):
            expect(fields[name] in known, f"{place}.{name}: {fields[name]!r} is none of its names")
    for name, field in fields.items():
        expect(name in names, f"{place}: {name} is not known")
        for part in field if isinstance(field, list) else [field]:
            if isinstance(part, stripe.StripeObject):
                check_object(part, f"{place}.{name}")


# The walk: what the double answers to Stripe's own client.


def walk(address, secret, publishable):
    client = stripe.StripeClient(secret, base_addresses={"api": address}, max_network_retries=0)
    page = stripe.StripeClient(publishable, base_addresses={"api": address}, max_network_retries=0)
    api = client.v1

    customer = api.customers.create({"email": "a@example.org", "metadata": {"account": "a1"}})
    check_object(customer, "customer")
    setup = api.setup_intents.create(
        {"customer": customer.id, "usage": "off_session", "allowed_payment_method_types": ["card"]})
    check_object(setup, "setup_intent")
    confirmed = page.v1.setup_intents.confirm(
        setup.id,
        {
            "client_secret": setup.client_secret,
            "payment_method_data": {
                "type": "card",
                "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123"},
            },
        },
    )
    expect(confirmed.status == "succeeded", f"setup intent is {confirmed.status}")
    method = api.payment_methods.retrieve(confirmed.payment_method)
    check_object(method, "payment_method")
    expect(method.customer == customer.id, "the method is not attached")

    charge = {
        "amount": 1000, "currency": "eur", "customer": customer.id, "payment_method": method.id,
        "off_session": True, "confirm": True, "metadata": {"charge": "c1"},
    }
    payment = api.payment_intents.create(charge, {"idempotency_key": "k1"})
    check_object(payment, "payment_intent")
    expect(payment.status == "succeeded", f"payment intent is {payment.status}")
    again = api.payment_intents.create(charge, {"idempotency_key": "k1"})
    expect(again.id == payment.id, "a repetition made another payment")
    expect(again.last_response.headers["idempotent-replayed"] == "true", "a replay does not say so")
    expect(again.last_response.request_id.startswith("req_"), "no request id")
    refused(
        stripe.IdempotencyError,
        lambda: api.payment_intents.create({**charge, "amount": 1001}, {"idempotency_key": "k1"}))
    check_object(api.charges.retrieve(payment.latest_charge), "charge")

    refund = api.refunds.create({"payment_intent": payment.id, "amount": 300})
    check_object(refund, "refund")
    error = refused(
        stripe.InvalidRequestError, lambda: api.refunds.create({"payment_intent": payment.id, "amount": 701}))
    expect(error.param == "amount", f"the error is about {error.param}")
    declines(client, customer.id)
    others(client, page, payment)


def declines(client, customer):
    api = client.v1
    always = api.payment_methods.attach("pm_card_authenticationRequired", {"customer": customer})
    charge = {
        "amount": 500, "currency": "eur", "customer": customer, "payment_method": always.id,
        "off_session": True, "confirm": True,
    }
    error = refused(stripe.CardError, lambda: api.payment_intents.create(charge))
    expect(error.code == "authentication_required", f"the code is {error.code}")
    expect(error.error.decline_code == "authentication_required", f"declined for {error.error.decline_code}")
    expect(error.error.payment_intent.status == "requires_payment_method", "the payment does not wait for a method")
    expect(error.error.payment_method.id == always.id, "the error does not name the method")
    check_object(error.error.payment_intent, "error.payment_intent")
    fails = api.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer})
    error = refused(
        stripe.CardError, lambda: api.payment_intents.create({**charge, "payment_method": fails.id}))
    expect(error.code == "card_declined" and error.error.charge.startswith("ch_"), f"{error.code}")
    failed = api.charges.retrieve(error.error.charge)
    expect(failed.status == "failed", f"the charge is {failed.status}")
    check_object(failed, "failed charge")
    api.payment_methods.detach(fails.id)
    refused(
        stripe.InvalidRequestError, lambda: api.payment_intents.create({**charge, "payment_method": fails.id}))


def others(client, page, payment):
    api = client.v1
    disputed = api.payment_intents.create({
        "amount": 700, "currency": "eur", "customer": payment.customer,
        "payment_method": api.payment_methods.attach("pm_card_createDispute", {"customer": payment.customer}).id,
        "confirm": True, "off_session": True,
    })
    dispute = api.disputes.list({"payment_intent": disputed.id}).data[0]
    check_object(dispute, "dispute")
    expect(api.disputes.close(dispute.id).status == "lost", "the dispute is not closed")
    warned = api.payment_intents.create({
        "amount": 700, "currency": "eur", "customer": payment.customer,
        "payment_method": api.payment_methods.attach("pm_card_createEarlyFraudWarning", {"customer": payment.customer}).id,
        "confirm": True, "off_session": True,
    })
    warning = api.radar.early_fraud_warnings.list({"payment_intent": warned.id}).data[0]
    check_object(warning, "early fraud warning")
    endpoint = api.webhook_endpoints.create({"url": "https://store.example/hook", "enabled_events": ["refund.failed"]})
    expect(endpoint.secret.startswith("whsec_"), "no secret")
    check_object(api.webhook_endpoints.retrieve(endpoint.id), "webhook endpoint")
    check_object(api.balance.retrieve(), "balance")
    check_object(api.accounts.retrieve_current(), "account")
    seen = [found.id for found in api.payment_intents.list({"limit": 2}).auto_paging_iter()]
    expect(len(seen) == len(set(seen)) == 5 and payment.id in seen, f"the list has {len(seen)} payments")
    for transaction in api.balance_transactions.list({"limit": 100}).data:
        check_object(transaction, f"balance transaction of {transaction.type}")
    for event in api.events.list({"limit": 100}).data:
        check_object(event, f"event {event.type}")
        check_object(event.data.object, f"event {event.type}: object")
    refused(stripe.PermissionError, lambda: page.v1.balance.retrieve())
    stranger = stripe.StripeClient("sk_test_wrong", base_addresses=client._requestor._options.base_addresses)
    refused(stripe.AuthenticationError, lambda: stranger.v1.balance.retrieve())
    refused(stripe.InvalidRequestError, lambda: api.payment_intents.retrieve("pi_none"))
    expect(api.customers.delete(payment.customer).deleted, "the customer is not deleted")


# Faults: what Stripe's client makes of them.


def faults(address, secret):
    """The double answers 429, 500 and 409, then drops an answer; the client repeats that by itself."""
    client = stripe.StripeClient(secret, base_addresses={"api": address}, max_network_retries=0)
    error = refused(stripe.RateLimitError, lambda: client.v1.customers.create())
    expect(error.headers.get("retry-after") == "7", f"Retry-After is {error.headers.get('retry-after')}")
    error = refused(stripe.APIError, lambda: client.v1.customers.create({}, {"idempotency_key": "k2"}))
    expect(error.http_status == 500 and error.headers.get("stripe-should-retry") == "false", f"{error.http_status}")
    refused(stripe.APIError, lambda: client.v1.customers.create({}, {"idempotency_key": "k2"}))
    patient = stripe.StripeClient(secret, base_addresses={"api": address}, max_network_retries=2)
    setup = patient.v1.setup_intents.create({"metadata": {"a": "1"}})
    made = [event.data.object.id for event in client.v1.events.list({"type": "setup_intent.created"}).data]
    expect(made == [setup.id], f"the client's repetition made {len(made)} setup intents")


# Webhook calls.


def events(path):
    """Takes in calls: a line each, with body, header and secret."""
    for line in open(path):
        call = json.loads(line)
        body = base64.b64decode(call["body"])
        try:
            event = stripe.Webhook.construct_event(body, call["signature"], call["secret"], tolerance=None)
            check_object(event, f"event {event.type}")
            check_object(event.data.object, f"event {event.type}: object")
            expect(call["good"], f"{event.type} was taken with a wrong secret or body")
        except stripe.SignatureVerificationError as error:
            expect(not call["good"], f"refused: {error}")


def sign(path):
    """Signs bodies: a line each, with body, secret and time; prints the headers."""
    for line in open(path):
        call = json.loads(line)
        body = base64.b64decode(call["body"]).decode()
        print("HEADER", stripe.WebhookSignature.generate_signature_header(body, call["secret"], call["time"]))


# Parameters: every name that the store's client sends is one of the library's.

PARAMETERS = {
    "POST customers": ("_customer_create_params", "CustomerCreateParams"),
    "GET customers/*": ("_customer_retrieve_params", "CustomerRetrieveParams"),
    "DELETE customers/*": ("_customer_delete_params", "CustomerDeleteParams"),
    "POST setup_intents": ("_setup_intent_create_params", "SetupIntentCreateParams"),
    "GET setup_intents": ("_setup_intent_list_params", "SetupIntentListParams"),
    "POST setup_intents/*/cancel": ("_setup_intent_cancel_params", "SetupIntentCancelParams"),
    "GET setup_intents/*": ("_setup_intent_retrieve_params", "SetupIntentRetrieveParams"),
    "GET payment_methods/*": ("_payment_method_retrieve_params", "PaymentMethodRetrieveParams"),
    "POST payment_methods/*/detach": ("_payment_method_detach_params", "PaymentMethodDetachParams"),
    "POST payment_intents": ("_payment_intent_create_params", "PaymentIntentCreateParams"),
    "GET payment_intents": ("_payment_intent_list_params", "PaymentIntentListParams"),
    "GET payment_intents/*": ("_payment_intent_retrieve_params", "PaymentIntentRetrieveParams"),
    "POST payment_intents/*/cancel": ("_payment_intent_cancel_params", "PaymentIntentCancelParams"),
    "GET charges/*": ("_charge_retrieve_params", "ChargeRetrieveParams"),
    "POST refunds": ("_refund_create_params", "RefundCreateParams"),
    "GET refunds": ("_refund_list_params", "RefundListParams"),
    "GET refunds/*": ("_refund_retrieve_params", "RefundRetrieveParams"),
    "GET disputes": ("_dispute_list_params", "DisputeListParams"),
    "GET disputes/*": ("_dispute_retrieve_params", "DisputeRetrieveParams"),
    "GET radar/early_fraud_warnings/*": (
        "radar._early_fraud_warning_retrieve_params", "EarlyFraudWarningRetrieveParams"),
    "GET events": ("_event_list_params", "EventListParams"),
    "GET webhook_endpoints": ("_webhook_endpoint_list_params", "WebhookEndpointListParams"),
    "GET balance": ("_balance_retrieve_params", "BalanceRetrieveParams"),
    "GET balance_transactions": ("_balance_transaction_list_params", "BalanceTransactionListParams"),
    "GET payouts": ("_payout_list_params", "PayoutListParams"),
}


def members(annotation):
    """The alternatives of an annotation, without NotRequired and unions."""
    origin = get_origin(annotation)
    if origin is None or origin in (list, dict, typing.Literal):
        return [annotation]
    return [alternative for part in get_args(annotation) for alternative in members(part)]


def is_legal(alternatives, path, scope):
    if not path:
        return any(not is_typeddict(part) and get_origin(part) not in (list, dict) for part in alternatives)
    for part in alternatives:
        if get_origin(part) is dict:
            return len(path) == 1
        if get_origin(part) is list and path[0].isdigit():
            return is_legal(members(get_args(part)[0]), path[1:], scope)
        if is_typeddict(part):
            named = part.__annotations__.get(path[0])
            if named is not None and path[0] not in stripe.RequestOptions.__annotations__:
                holder = type("Holder", (), {"__annotations__": {"it": named}})
                return is_legal(members(get_type_hints(holder, globalns=scope)["it"]), path[1:], scope)
    return False


def parameters(path):
    """Checks calls: a line each, with the call and the names of its parameters."""
    for line in open(path):
        request = json.loads(line)
        if request["call"] not in PARAMETERS:
            FINDINGS.append(f"{request['call']}: no such call is known here")
            continue
        module_name, name = PARAMETERS[request["call"]]
        module = importlib.import_module(f"stripe.params.{module_name}")
        from stripe._stripe_object import UntypedStripeObject
        scope = {**vars(module), "UntypedStripeObject": UntypedStripeObject, "Dict": typing.Dict}
        for parameter in request["parameters"]:
            steps = parameter.replace("]", "").split("[")
            expect(is_legal([getattr(module, name)], steps, scope), f"{request['call']}: {parameter} is not legal")


if __name__ == "__main__":
    {"walk": walk, "faults": faults, "events": events, "sign": sign, "parameters": parameters}[sys.argv[1]](
        *sys.argv[2:])
    for finding in FINDINGS:
        print(finding)
    print("DONE")
