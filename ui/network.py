"""Where an address holds a network of the visitor's, and which page made it."""

PARAMETER = "network"  # of the address; one for all steps of a page
BUILDER = "blocks"
BUILDER_PARAMETER = "blocks_build_network"  # leads to the builder's own step
