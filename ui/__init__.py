"""The user interface: pages, their parts, and the only code that touches ``st.session_state``.

``router`` is the script of every run, ``startup`` the order in which the server starts,
``lesson_page`` the page of a lesson. ``middleware`` sets the security headers, ``html_markup``
escapes HTML, ``url_state`` reads and writes parameters of the URL. ``panel`` draws a step as a
program with controls in it, ``lab`` runs a visitor's own program, ``builder`` builds a network,
``xray`` inspects a file, ``teacher`` shows the class. Texts are in ``words.toml``.
"""
