"""Networks: described as data, built, traced, and written as programs.

Free of torch: ``spec`` (networks as data), ``source`` (their programs), the ``*_types`` modules
(records), ``distributions``. With torch: ``catalogue`` (the layers of torch.nn), ``build``,
``trace`` (one forward, call by call), ``tensor_inventory`` (all tensors and their devices),
``initialisers``. ``custom`` holds the classes that the lessons show. Importing this package loads
no torch.
"""
