"""The program panel: a step of a lesson as one component of the page.

``component`` mounts the browser side (``assets/``) and delivers its events, ``view`` turns a step,
its words and its answer into the plain data that the browser side draws, ``controls`` describes
the fields of a step as native controls. The panel is mounted once for a visit of a page; each
rerun sends new data, and the script patches what differs.
"""
