"""The peer of these tests: stellar-sdk, an independent implementation.

peer.py make SEED COUNT   prints random cases with the library's answers, one JSON object a line
peer.py check             reads such cases with the answers of another, and prints each that it does not agree with;
                          `DONE <number of cases>` is the last line
"""
import base64
import json
import random
import sys
import time
import warnings

from stellar_sdk import Asset, HashMemo, IdMemo, Keypair, MuxedAccount, NoneMemo, ReturnHashMemo, StrKey, TextMemo
from stellar_sdk import Account, TransactionBuilder, TransactionEnvelope
from stellar_sdk.exceptions import BadSignatureError
from stellar_sdk.sep import stellar_web_authentication as web
from stellar_sdk.sep.mnemonic import StellarMnemonic
from stellar_sdk.sep.stellar_uri import PayStellarUri, TransactionStellarUri

NOW = 1_700_000_000
NETWORKS = ["Test SDF Network ; September 2015", "Public Global Stellar Network ; September 2015", "Onside ; 1"]
warnings.simplefilter("ignore")
time.time = lambda: NOW  # The library takes the system's clock; these cases have their own.


def pair_of(seed):
    return Keypair.from_raw_ed25519_seed(seed)


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pair(self):
        return pair_of(self.random.randbytes(32))

    def account(self):
        address = self.pair().public_key
        return MuxedAccount(address, self.random.choice([None, None, 0, self.random.getrandbits(64)]))

    def amount(self, least=0):
        stroops = self.random.choice([least, 1, 10**7, 2**63 - 1, self.random.getrandbits(62), self.random.getrandbits(30)])
        return f"{stroops // 10**7}.{stroops % 10**7:07d}"

    def text(self, count):
        return "".join(self.random.choice("aZ09 &=%+/?#é漢😀\"\\") for _ in range(self.random.randrange(1, count)))

    def asset(self, is_issued=False):
        if not is_issued and self.random.random() < 0.4:
            return Asset.native()
        letters = "ABCxyz0189"
        return Asset("".join(self.random.choices(letters, k=self.random.randint(1, 12))), self.pair().public_key)

    def memo(self):
        return self.random.choice([
            lambda: NoneMemo(), lambda: TextMemo(self.text(8)), lambda: IdMemo(self.random.getrandbits(64)),
            lambda: HashMemo(self.random.randbytes(32)), lambda: ReturnHashMemo(self.random.randbytes(32))])()

    def envelope(self, network):
        source = Account(self.account(), self.random.randrange(2**62))
        builder = TransactionBuilder(source, network, self.random.randrange(1, 10**6))
        builder.add_memo(self.memo())
        if self.random.random() < 0.7:
            start = self.random.choice([0, NOW])
            builder.add_time_bounds(start, self.random.choice([0, NOW + self.random.randrange(900)]))
        for _ in range(self.random.choice([1, 1, 2, 3, 100 if self.random.random() < 0.02 else 4])):
            self.operation(builder)
        return builder.build()

    def operation(self, builder):
        actor = self.random.choice([None, self.account()])
        kind = self.random.randrange(4)
        if kind == 0:
            builder.append_payment_op(self.account(), self.asset(), self.amount(), actor)
        elif kind == 1:
            builder.append_create_account_op(self.pair().public_key, self.amount(), actor)
        elif kind == 2:
            builder.append_change_trust_op(self.asset(True), self.amount(), actor)
        else:
            name = "".join(self.random.choices("abc XYZ_09~!", k=self.random.randint(1, 64)))
            value = self.random.choice([None, self.random.randbytes(self.random.randint(1, 64))])
            builder.append_manage_data_op(name, value, actor)

    # One kind of case each.

    def key(self):
        pair, number = self.pair(), self.random.getrandbits(64)
        message = self.random.randbytes(self.random.randrange(200))
        return dict(seed=pair.raw_secret_key().hex(), account=pair.public_key, secret=pair.secret, id=str(number),
                    muxed=MuxedAccount(pair.public_key, number).account_muxed, message=message.hex(),
                    signature=pair.sign_message(message).hex())

    def words(self):
        words = StellarMnemonic("english").to_mnemonic(self.random.randbytes(self.random.choice([16, 20, 24, 28, 32])))
        passphrase, index = self.random.choice(["", self.text(20)]), self.random.choice([0, 1, self.random.getrandbits(31)])
        pair = Keypair.from_mnemonic_phrase(words, passphrase=passphrase, index=index)
        return dict(words=words, passphrase=passphrase, index=index, account=pair.public_key)

    def transaction(self):
        network, pair = self.random.choice(NETWORKS), self.pair()
        envelope = self.envelope(network)
        case = dict(seed=pair.raw_secret_key().hex(), network=network, unsigned=envelope.to_xdr(),
                    hash=envelope.hash().hex())
        envelope.sign(pair)
        return dict(case, signed=envelope.to_xdr())

    def challenge(self):
        network, server, client = self.random.choice(NETWORKS), self.pair(), self.pair()
        home, domain = f"a{self.random.randrange(10**6)}.example", f"auth{self.random.randrange(10**6)}.example:8443"
        number = self.random.getrandbits(64)
        muxed = self.random.random() < 0.3
        account = MuxedAccount(client.public_key, number).account_muxed if muxed else client.public_key
        memo = None if muxed else self.random.choice([None, number])
        text = web.build_challenge_transaction(server.secret, account, home, domain, network, memo=memo)
        envelope = TransactionEnvelope.from_xdr(text, network)
        envelope.sign(client)
        return dict(seed=client.raw_secret_key().hex(), client=account, memo=None if memo is None else str(memo),
                    server=server.public_key, home=home, domain=domain, network=network, challenge=text,
                    signed=envelope.to_xdr())

    def link(self):
        network, pair = self.random.choice(NETWORKS), self.pair()
        message = self.random.choice([None, self.text(300)])
        common = dict(callback=self.random.choice([None, "https://a.example/?b=c&d"]), message=message,
                      network_passphrase=None if network == NETWORKS[1] else network, origin_domain="shop.example")
        if self.random.random() < 0.5:
            link = TransactionStellarUri(self.envelope(network), pubkey=self.random.choice([None, pair.public_key]), **common)
        else:
            memo = self.memo()
            link = PayStellarUri(self.account().universal_account_id, self.random.choice([None, self.amount()]),
                                 self.asset(), memo, **common)
        link.sign(pair)
        return dict(text=link.to_uri(), signer=pair.public_key, network=network, message=message)

    def damaged(self):
        """A key's text with one character changed, left out, doubled or swapped."""
        pair = self.pair()
        text = list(self.random.choice([pair.public_key, MuxedAccount(pair.public_key, self.random.getrandbits(64)).account_muxed]))
        place = self.random.randrange(len(text) - 1)
        kind = self.random.randrange(4)
        if kind == 0:
            text[place] = self.random.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567018=a ")
        elif kind == 1:
            del text[place]
        elif kind == 2:
            text.insert(place, text[place])
        else:
            text[place], text[place + 1] = text[place + 1], text[place]
        text = "".join(text)
        return dict(text=text, taken=StrKey.is_valid_ed25519_public_key(text) or StrKey.is_valid_med25519_public_key(text))

    def torn(self):
        """A signed transaction with one to three bits changed: what one side takes, it writes again as it was."""
        network = NETWORKS[0]
        envelope = self.envelope(network)
        envelope.sign(self.pair())
        data = bytearray(base64.b64decode(envelope.to_xdr()))
        for _ in range(self.random.randint(1, 3)):
            place = self.random.randrange(len(data))
            data[place] ^= 1 << self.random.randrange(8)
        text = base64.b64encode(data).decode()
        return dict(text=text, network=network, again=again(text, network))


def again(text, network):
    try:
        return TransactionEnvelope.from_xdr(text, network).to_xdr()
    except Exception:
        return None


def agrees(case):
    kind = case["kind"]
    if kind == "key":
        pair = pair_of(bytes.fromhex(case["seed"]))
        pair.verify_message(bytes.fromhex(case["message"]), bytes.fromhex(case["signature"]))
        muxed = MuxedAccount.from_account(case["muxed"])
        return (pair.public_key, pair.secret) == (case["account"], case["secret"]) \
            and (muxed.account_id, str(muxed.account_muxed_id)) == (case["account"], case["id"])
    if kind == "words":
        pair = Keypair.from_mnemonic_phrase(case["words"], passphrase=case["passphrase"], index=case["index"])
        return pair.public_key == case["account"]
    if kind == "transaction":
        pair = pair_of(bytes.fromhex(case["seed"]))
        envelope = TransactionEnvelope.from_xdr(case["unsigned"], case["network"])
        same = envelope.to_xdr() == case["unsigned"] and envelope.hash().hex() == case["hash"]
        envelope.sign(pair)
        return same and envelope.to_xdr() == case["signed"]
    if kind == "challenge":
        arguments = (case["server"], case["home"], case["domain"], case["network"])
        read = web.read_challenge_transaction(case["challenge"], *arguments)
        web.verify_challenge_transaction_signed_by_client_master_key(case["signed"], *arguments)
        memo = None if read.memo is None else str(read.memo)
        return (read.client_account_id, memo) == (case["client"], case.get("memo"))
    if kind == "link":
        if case["text"].startswith("web+stellar:tx"):
            link = TransactionStellarUri.from_uri(case["text"], case["network"])
            if "network_passphrase=" not in case["text"]:
                link.network_passphrase = None  # The library writes the argument into the link.
        else:
            link = PayStellarUri.from_uri(case["text"])
        Keypair.from_public_key(case["signer"]).verify(link._signature_payload, base64.b64decode(link.signature))
        return link.to_uri() == case["text"] and link.msg == case.get("message")
    if kind == "damaged":
        taken = StrKey.is_valid_ed25519_public_key(case["text"]) or StrKey.is_valid_med25519_public_key(case["text"])
        return taken == case["taken"]
    if kind == "torn":
        return case.get("again") is None or again(case["text"], case["network"]) == case["again"]
    return False


def main():
    if sys.argv[1] == "make":
        maker = Maker(int(sys.argv[2]))
        kinds = ["key", "transaction", "challenge", "link", "damaged", "torn"] * 3 + ["words"]
        for number in range(int(sys.argv[3])):
            kind = kinds[number % len(kinds)]
            print(json.dumps(dict(getattr(maker, kind)(), kind=kind)))
        return
    count = 0
    for line in sys.stdin:
        case, fault = json.loads(line), "another answer"
        try:
            count += 1
            if agrees(case):
                continue
        except (Exception, BadSignatureError) as problem:
            fault = repr(problem)
        print(f"DIFFERS {fault}: {line.strip()}")
    print(f"DONE {count}")


main()
