"""Experiments on a Ray cluster: lanes whose workers sit on its nodes; loads no Ray here.

Ray runs in a process of its own, the bridge, since it ends its process when it loses its cluster.
docs/decisions/0021 says why, and what must be trusted.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playground.compute.lane import Lane

__all__ = ["build_lanes", "is_installed"]


def build_lanes(address: str) -> "dict[str, Lane]":
    """The lanes of a cluster, not yet started; the GPU lane is empty until a GPU is seen.

    Args:
        address: ``host:port`` of its head, as ``ray start`` says it. This computer is a node.
    """
    from playground.compute.cluster.cluster import Cluster  # most servers have none to reach
    from playground.compute.cluster.lane import ClusterLane

    cluster = Cluster(address)
    cluster.lanes = tuple(ClusterLane(name, cluster) for name in ("cpu", "gpu"))
    return {lane.name: lane for lane in cluster.lanes}


def is_installed() -> bool:
    """Whether Ray could be loaded; loads nothing."""
    return find_spec("ray") is not None
