"""The examples of deploy/: what they name exists, and the command of the Space starts a server."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.hosting.browser import click
from tests.hosting.server import ROOT, Server, environment, free_port, routes, wait
from tests.waiting import MAX_SECONDS

EXAMPLES = ROOT / "deploy" / "examples"
SPACE = (EXAMPLES / "huggingface" / "Dockerfile").read_text("utf-8")
FRONT_MATTER = yaml.safe_load(
    (EXAMPLES / "huggingface" / "README.md").read_text("utf-8").split("---")[1]
)
SPACE_HOST = "someone-torch-playground.hf.space"
MANIFEST = {
    each["kind"]: each for each in yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text())
}
POD = MANIFEST["Deployment"]["spec"]["template"]
(CONTAINER,) = POD["spec"]["containers"]


def instruction(word: str) -> str:
    """The last of its kind, its lines as one."""
    joined = SPACE.replace("\\\n", " ")
    return re.findall(rf"^{word} (.*)$", joined, re.MULTILINE)[-1]


SPACE_ENV = dict(pair.split("=", 1) for pair in instruction("ENV").split())


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The command of the image, with another port and folder."""
    folder, port = tmp_path_factory.mktemp("space"), free_port()
    given = {**SPACE_ENV, "SPACE_HOST": SPACE_HOST, "PLAYGROUND_DATA_FOLDER": str(folder)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    address = {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "HOME": str(folder), "PATH": path}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", "-c", instruction("CMD").replace("8501", str(port))],
            cwd=ROOT,
            env={**environment(), **given, **address},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        wait(process, port, folder / "log")
        yield Server(folder, {}, port=port)
    finally:
        process.terminate()
        process.wait(MAX_SECONDS)


def test_the_space_is_a_page_for_everybody_in_the_frame_of_hugging_face(space: Server) -> None:
    page = space.ask("GET", "/", headers={"host": SPACE_HOST})

    assert page.status == 200
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'self' https://huggingface.co" in policy
    with space.connect({"origin": f"https://{SPACE_HOST}"}) as tab:
        assert click(tab) == ForwardMsg.FINISHED_SUCCESSFULLY
    assert space.refusal({"origin": "https://evil.example"}) == 403


def test_the_lab_of_the_space_is_closed_until_a_variable_opens_it(space: Server) -> None:
    parts = json.loads(space.ask("GET", "/api/health").body)["parts"]

    assert parts["sandbox"] == "closed"
    assert SPACE_ENV["PLAYGROUND_LAB"] == "off"


def test_the_space_runs_as_uid_1000_on_the_port_that_its_front_matter_names() -> None:
    assert FRONT_MATTER["sdk"] == "docker"
    assert f"--server.port={FRONT_MATTER['app_port']}" in instruction("CMD")
    assert instruction("EXPOSE") == str(FRONT_MATTER["app_port"])
    assert "useradd --uid 1000 --create-home user " in SPACE
    assert instruction("USER") == "user"
    assert SPACE.index("USER user") < SPACE.index("CMD ")


def test_the_pod_keeps_every_restriction_that_the_jail_allows() -> None:
    own, around = CONTAINER["securityContext"], POD["spec"]["securityContext"]

    assert around["seccompProfile"] == {"type": "RuntimeDefault"}
    assert around["runAsNonRoot"] is True
    assert own["capabilities"] == {"drop": ["ALL"]}
    assert own["allowPrivilegeEscalation"] is False
    assert own["readOnlyRootFilesystem"] is True
    assert CONTAINER["resources"]["limits"]["memory"]
    uid = re.findall(r"--uid (\d+)", (ROOT / "deploy" / "Dockerfile").read_text("utf-8"))
    assert [str(around["runAsUser"])] == uid
    assert POD["spec"]["enableServiceLinks"] is False  # else *_SERVICE_HOST are in its environment


def test_parts_of_the_manifest_name_each_other_and_what_exists() -> None:
    spec, service = MANIFEST["Deployment"]["spec"], MANIFEST["Service"]["spec"]
    ((rule,), (tls,)) = (MANIFEST["Ingress"]["spec"][name] for name in ("rules", "tls"))
    (path,) = rule["http"]["paths"]
    backend: dict[str, Any] = path["backend"]["service"]

    assert spec["selector"]["matchLabels"] == POD["metadata"]["labels"] == service["selector"]
    assert backend["name"] == MANIFEST["Service"]["metadata"]["name"]
    assert backend["port"]["name"] == service["ports"][0]["name"]
    assert service["ports"][0]["targetPort"] == CONTAINER["ports"][0]["name"]
    assert CONTAINER["ports"][0]["containerPort"] == 8501
    assert tls["hosts"] == [rule["host"]]
    assert (
        MANIFEST["Service"]["metadata"]["annotations"][
            "traefik.ingress.kubernetes.io/service.sticky.cookie"
        ]
        == "true"
    )
    volumes = {each["name"]: each for each in POD["spec"]["volumes"]}
    assert {mount["name"] for mount in CONTAINER["volumeMounts"]} == set(volumes)
    claim = volumes["data"]["persistentVolumeClaim"]["claimName"]
    assert claim == MANIFEST["PersistentVolumeClaim"]["metadata"]["name"]
    written = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    assert "PLAYGROUND_DATA_FOLDER=/data" in written
    probed = {CONTAINER[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe")}
    assert probed <= routes()
