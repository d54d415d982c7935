"""The gate: who may use the playground. Without a valid cookie, only the login page is answered.

``class_code`` asks for a code, ``openid_sign_in`` for an account of an OpenID Connect provider;
both are pure ASGI middleware before everything else, so uploads and WebSockets are closed as well.
``trusted_hosts`` checks the names of hosts and origins; ``cookies`` has all cookies of the gate.
"""
