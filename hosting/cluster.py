"""Whether the Ray cluster that the operator names can be asked at all; connects to nothing."""

from hosting.parsing import SettingError
from hosting.settings import Settings
from playground.compute.cluster import is_installed


def check(settings: Settings) -> None:
    """Refuse a cluster where Ray is not installed.

    Raises:
        SettingError: It is not.
    """
    if settings.ray_address and not is_installed():
        raise SettingError(
            "PLAYGROUND_RAY_ADDRESS needs Ray, which is not installed: "
            "pip install -r requirements-ray.txt."
        )
