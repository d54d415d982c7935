"""Hosting a class: the gate, the limits, saved progress, and what the operator sees.

Everything here stands between the web server and Streamlit, and depends on neither pages nor torch:

- ``settings``: the operator's settings; ``apply_settings`` checks and applies them, and lists the
  ASGI middleware.
- ``class_code``, ``openid_sign_in``: the gate, which lets in who knows the code of the class, or
  has an account of an OpenID Connect provider. Both are ASGI middleware before everything else, so
  uploads and WebSockets are closed as well. ``cookies`` has all cookies of the gate.
- ``trusted_hosts``: checks the names of hosts and origins.
- ``limits``, ``upload_limits``: limits of the load that one visitor, and all of them, may cause.
- ``requests``: what middleware reads of a request. ``login_and_error_pages``: how it answers.
- ``progress``: what signed-in students have done and answered, in a database.
- ``live_poll``: a teacher's question to the class, and its votes.
- ``logs_and_metrics``, ``operator_api``: for the operator.
- ``framework_internals``: every use of a private part of Streamlit and of the web server.
"""
