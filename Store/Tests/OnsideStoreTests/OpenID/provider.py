"""An OpenID provider made of idpyoidc's server library: python provider.py KEY_TYPE

It listens on a free port and prints it on the first line; every user is logged in as diana. GET /rotate replaces its
keys; GET /register?redirect_uri=… registers the store's redirect URI.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from cryptojwt.key_jar import build_keyjar
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.oidc.authorization import Authorization
from idpyoidc.server.oidc.provider_config import ProviderConfiguration
from idpyoidc.server.oidc.token import Token

key_type = sys.argv[1]
KEYS = {
    "RSA": [{"type": "RSA", "use": ["sig"]}],
    "EC": [{"type": "EC", "crv": "P-256", "use": ["sig"]}],
}[key_type]
ALGORITHM = {"RSA": "RS256", "EC": "ES256"}[key_type]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *arguments):
        print("asked", self.command, urlsplit(self.path).path, file=sys.stderr, flush=True)

    def do_GET(self):
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        if address.path == "/.well-known/openid-configuration":
            self.answer("provider_config", {})
        elif address.path == "/jwks":
            keys = provider.keyjar.export_jwks(issuer_id="")
            self.reply(200, json.dumps(keys), [("Content-Type", "application/json")])
        elif address.path == "/authorization":
            # NoAuthn shows no form and reports a login of this moment; it has none for prompt=login, which is removed.
            query.pop("prompt", None)
            self.answer("authorization", query)
        elif address.path == "/rotate":
            rotate()
            self.reply(200, "", [])
        elif address.path == "/register":
            provider.context.cdb["store"]["redirect_uris"] = [(query["redirect_uri"], {})]
            self.reply(200, "", [])
        else:
            self.reply(404, "", [])

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.answer("token", dict(parse_qsl(body)))

    def answer(self, name, request):
        endpoint = provider.get_endpoint(name)
        headers = {name.lower(): value for name, value in self.headers.items()}
        info = {"headers": headers, "url": issuer + self.path, "method": self.command}
        asked = endpoint.parse_request(request, http_info=info)
        if "error" in asked:
            self.reply(400, asked.to_json(), [("Content-Type", "application/json")])
            return
        result = endpoint.process_request(asked, http_info=info)
        if "error" in result:
            print("refused", dict(result), file=sys.stderr, flush=True)
            self.reply(400, json.dumps({"error": result["error"]}), [("Content-Type", "application/json")])
            return
        if "http_response" in result:
            self.reply(200, result["http_response"], [])
            return
        response = endpoint.do_response(request=asked, **result)
        headers = [header for header in response["http_headers"] if header[0].lower() != "content-length"]
        if endpoint.response_placement == "url":
            self.reply(302, "", [("Location", response["response"])])
        else:
            self.reply(200, response["response"], headers)

    def reply(self, status, body, headers):
        data = body.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def rotate():
    fresh = build_keyjar(KEYS).export_jwks(private=True, issuer_id="")
    for owner in ["", issuer]:
        del provider.keyjar[owner]
        provider.keyjar.import_jwks(fresh, owner)


def configuration():
    lifetime = {"lifetime": 600, "kwargs": {"crypt_conf": {"kwargs": {
        "keys": {"key_defs": [{"type": "OCT", "use": ["enc"], "kid": kind} for kind in ["password", "salt"]]},
        "iterations": 1}}}}
    return {
        "issuer": issuer,
        "httpc_params": {"verify": False},
        "capabilities": {
            "grant_types_supported": ["authorization_code"],
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
        },
        "scopes_supported": ["openid", "email"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
        "keys": {"uri_path": "jwks", "key_defs": KEYS},
        "endpoint": {
            "provider_config": {
                "path": ".well-known/openid-configuration", "class": ProviderConfiguration,
                "kwargs": {"client_authn_method": None}},
            "authorization": {
                "path": "authorization", "class": Authorization,
                "kwargs": {"client_authn_method": None, "response_types_supported": ["code"]}},
            "token": {
                "path": "token", "class": Token, "kwargs": {"client_authn_method": ["client_secret_basic"]}},
        },
        "authentication": {
            "anybody": {"acr": "any", "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "diana"}}},
        "add_on": {
            "pkce": {
                "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                "kwargs": {"essential": True}}},
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {
            "diana": {"email": "diana@example.org"}}}},
        "token_handler_args": {
            "key_conf": {"key_defs": KEYS},
            "code": lifetime, "token": lifetime,
            "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {
                "base_claims": {"email": None}}},
        },
        "session_params": {"encrypter": lifetime["kwargs"]["crypt_conf"]},
    }


web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
issuer = f"http://127.0.0.1:{web.server_address[1]}"
provider = Server(OPConfiguration(conf=configuration(), base_path="."), cwd=".")
provider.context.cdb["store"] = {
    "client_secret": "s3cret-of-the-store",
    "redirect_uris": [],
    "response_types": ["code"],
    "response_types_supported": ["code"],
    "allowed_scopes": ["openid", "email"],
    "token_endpoint_auth_method": "client_secret_basic",
    "id_token_signed_response_alg": ALGORITHM,
}
provider.keyjar.import_jwks(provider.keyjar.export_jwks(True, ""), issuer)
print(web.server_address[1], flush=True)
web.serve_forever()
