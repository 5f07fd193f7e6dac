"""A native app with a third-party OAuth library: logs in, calls, refreshes and revokes.

client.py LIBRARY ISSUER CLIENT   (LIBRARY is authlib or requests-oauthlib)

Prints `OPEN <address>` for the browser of a person, waits at a loopback address for the answer (RFC 8252), and prints
one line for each step that went well; `DONE` is the last.
"""
import http.server
import json
import os
import sys
import urllib.parse
import urllib.request

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
library, issuer, client_id = sys.argv[1:4]


def step(name, fact):
    if not fact:
        raise SystemExit(f"FAILED {name}")
    print(f"ok {name}", flush=True)


class Answers(http.server.BaseHTTPRequestHandler):
    answer = None

    def do_GET(self):
        if self.path.startswith("/callback"):
            Answers.answer = self.path
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<h1>Back in the app</h1>")

    def log_message(self, *_):
        pass


def metadata():
    with urllib.request.urlopen(issuer + "/.well-known/oauth-authorization-server") as response:
        step("metadata is JSON", response.headers["Content-Type"] == "application/json")
        return json.load(response)


def wait_for_answer(server, address):
    print(f"OPEN {address}", flush=True)
    while Answers.answer is None:
        server.handle_request()
    answer = f"http://127.0.0.1:{server.server_port}{Answers.answer}"
    fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer).query))
    step("the answer names the issuer (RFC 9207)", fields.get("iss") == issuer)
    return answer, fields


def refused(error, call):
    """True when the library reports this error of RFC 6749."""
    try:
        call()
    except Exception as problem:
        return getattr(problem, "error", None) == error
    return False


def with_authlib(about, redirect, server):
    from authlib.integrations.requests_client import OAuth2Session
    from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

    # The library asks for https, which a loopback address is not.
    secure = {k: v.replace("http:", "https:") if isinstance(v, str) else v for k, v in about.items()}
    AuthorizationServerMetadata(secure).validate()
    step("the metadata is valid (RFC 8414)", True)
    session = OAuth2Session(
        client_id, redirect_uri=redirect, code_challenge_method="S256", token_endpoint_auth_method="none",
        revocation_endpoint_auth_method="none", token_endpoint=about["token_endpoint"])
    verifier = "authlib-" * 8
    address, state = session.create_authorization_url(about["authorization_endpoint"], code_verifier=verifier)
    answer, fields = wait_for_answer(server, address)
    step("state", fields["state"] == state)
    exchange = lambda: session.fetch_token(
        about["token_endpoint"], authorization_response=answer, state=state, code_verifier=verifier)
    first = dict(exchange())
    step("call", session.get(issuer + "/v1/account").status_code == 200)
    second = dict(session.refresh_token(about["token_endpoint"], refresh_token=first["refresh_token"]))
    step("refresh", second["refresh_token"] != first["refresh_token"])
    step("call with the new token", session.get(issuer + "/v1/account").status_code == 200)
    gone = session.revoke_token(
        about["revocation_endpoint"], token=second["refresh_token"], token_type_hint="refresh_token")
    step("revoke", gone.status_code == 200)
    step("no call after it", session.get(issuer + "/v1/account").status_code == 401)
    step("no refresh after it", refused("invalid_grant", lambda: session.refresh_token(
        about["token_endpoint"], refresh_token=second["refresh_token"])))
    step("no second use of the code", refused("invalid_grant", exchange))


def with_requests_oauthlib(about, redirect, server):
    from requests_oauthlib import OAuth2Session

    session = OAuth2Session(client_id, redirect_uri=redirect, pkce="S256")
    address, state = session.authorization_url(about["authorization_endpoint"])
    answer, fields = wait_for_answer(server, address)
    step("state", fields["state"] == state)
    exchange = lambda: session.fetch_token(
        about["token_endpoint"], authorization_response=answer, include_client_id=True)
    first = dict(exchange())
    step("call", session.get(issuer + "/v1/account").status_code == 200)
    second = dict(session.refresh_token(about["token_endpoint"], client_id=client_id))
    step("refresh", second["refresh_token"] != first["refresh_token"])
    step("call with the new token", session.get(issuer + "/v1/account").status_code == 200)
    url, headers, body = session._client.prepare_token_revocation_request(
        about["revocation_endpoint"], second["refresh_token"], client_id=client_id)
    gone = session.post(url, data=body + "&client_id=" + client_id if "client_id" not in body else body,
                        headers=headers, withhold_token=True)
    step("revoke", gone.status_code == 200)
    step("no call after it", session.get(issuer + "/v1/account").status_code == 401)
    step("no refresh after it", refused("invalid_grant", lambda: session.refresh_token(
        about["token_endpoint"], refresh_token=second["refresh_token"], client_id=client_id)))
    step("no second use of the code", refused("invalid_grant", exchange))


server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
flows = {"authlib": with_authlib, "requests-oauthlib": with_requests_oauthlib}
flows[library](metadata(), f"http://127.0.0.1:{server.server_port}/callback", server)
print("DONE", flush=True)
