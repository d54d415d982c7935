"""The actor on a node, without Ray: its methods are called from threads, as Ray does."""

from playground.compute.cluster import actor as actor_module
from playground.compute.cluster.actor import fingerprint
from tests.compute.test_web_process import run_server


def test_another_line_of_code_or_another_torch_is_another_playground(tmp_path, monkeypatch):
    module = tmp_path / "module.py"
    found = []

    for text, version in (("a = 1", "2.13.0+cpu"), ("a = 2", "2.13.0+cpu"), ("a = 1", "2.12.0")):
        module.write_text(text)
        monkeypatch.setattr(actor_module, "PACKAGE", tmp_path)
        monkeypatch.setattr(actor_module.metadata, "version", lambda _, found=version: found)
        found.append(fingerprint.__wrapped__())
    monkeypatch.setattr(actor_module.metadata, "version", lambda _: "2.13.0+cu130")
    module.write_text("a = 1")

    assert len(set(found)) == 3
    assert fingerprint.__wrapped__() == found[0]


def test_the_server_loads_neither_ray_nor_torch(tmp_path):
    program = """
import sys, time
from playground import compute
from playground.compute.runner import Runner
from playground.compute.cluster import build_pools
runner = Runner(lambda: build_pools("127.0.0.1:1"))
runner.start()
while not runner.status().problem:
    time.sleep(0.01)
assert not {"ray", "torch", "numpy"} & set(sys.modules)
runner.stop()
print("fine")
"""
    done = run_server(program, tmp_path)

    assert done.stdout == "fine\n"
    assert "The Ray cluster at 127.0.0.1:1 cannot be used" in done.stderr
