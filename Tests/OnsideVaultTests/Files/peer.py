"""RFC 9497 by an independent library (PyPI voprf): both halves, asked line by line in JSON.

{"serve": SEED, "info": INFO, "blinded": [...]}   answers {"public": KEY, "answers": [...]}, proof and element in one
{"blind": [...]}                                  answers {"blinded": [...]} and remembers them
{"finalize": [...], "public": KEY}                answers {"outputs": [...]}; a bad proof gives null
"""
import json
import sys

from voprf import ristretto


def serve(asked):
    evaluator = ristretto.Evaluator.from_seed(bytes.fromhex(asked["serve"]), bytes.fromhex(asked["info"]))
    inputs = [ristretto.BlindedInput.deserialize(bytes.fromhex(text)) for text in asked["blinded"]]
    answers = [evaluator.evaluate(one).serialize().hex() for one in inputs]
    return {"public": evaluator.public_key.serialize().hex(), "answers": answers}


def finalize(client, answer, public):
    try:
        return client.finalize(ristretto.VerifiableOutput.deserialize(bytes.fromhex(answer)), public).hex()
    except Exception:
        return None


clients = []
for line in sys.stdin:
    asked = json.loads(line)
    if "serve" in asked:
        answer = serve(asked)
    elif "blind" in asked:
        pairs = [ristretto.Client.blind(bytes.fromhex(text)) for text in asked["blind"]]
        clients = [client for client, _ in pairs]
        answer = {"blinded": [blinded.serialize().hex() for _, blinded in pairs]}
    else:
        public = ristretto.PublicKey.deserialize(bytes.fromhex(asked["public"]))
        answer = {"outputs": [finalize(*pair, public) for pair in zip(clients, asked["finalize"])]}
    print(json.dumps(answer), flush=True)
