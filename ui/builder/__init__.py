"""The network builder: a page whose script draws the graph, the palette and the program.

``state`` holds the network and its history, ``actions`` changes it by the script's events, ``view``
turns it into the script's data. Workers build, run and judge each network
(``playground.modules.workbench``).
"""
