"""Optional package: pools of workers on a Ray cluster. Importing it loads no Ray.

A ``ClusterPool`` is a ``WorkerPool`` whose workers come and go with the cluster's nodes. Ray
ends the process that it runs in when it loses its cluster, so it runs in a process of its own: the
``bridge``, which a ``ClusterConnection`` starts, watches and replaces. On a node, a
``SupervisorActor`` holds one ``WorkerSupervisor``. Only ``playground.compute.runner`` imports this
package, where the operator names a cluster. docs/decisions/0021 gives the reasons, and what must be
trusted.
"""

from playground.compute.cluster.connection import ClusterConnection
from playground.compute.cluster.pool import ClusterPool

__all__ = ["build_pools"]


def build_pools(address: str) -> dict[str, ClusterPool]:
    """Return the pools of a cluster, not yet started; the GPU pool is empty until a GPU is seen.

    Args:
        address: ``host:port`` of its head, as ``ray start`` prints it. This computer is a node.
    """
    connection = ClusterConnection(address)
    return {name: ClusterPool(name, connection) for name in ("cpu", "gpu")}
