"""Hosting a class: the gate, the limits, saved progress, and what the operator sees.

Everything here stands between the web server and Streamlit, and depends on neither pages nor torch:

- ``settings``: the operator's settings; ``apply_settings`` checks and applies them, and lists the
  ASGI middleware: ``gate`` identifies visitors, ``limits`` bounds their load.
- ``requests``, ``responses``: what middleware reads of a request, and how it answers.
- ``progress``: what signed-in students have done and answered, in a database.
- ``live_poll``: a teacher's question to the class, and its votes.
- ``health``, ``metrics``, ``operator_api``, ``logs``: for the operator.
- ``framework_internals``: every use of a private part of Streamlit and of the web server.
"""
