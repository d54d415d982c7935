"""install.sh, run again: it keeps what is there, and ends what is no longer named."""

from pathlib import Path

import pytest

from tests.deploy.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def unit(port: int) -> str:
    return f"torch-playground@{port}"


def test_the_first_time_there_is_one(machine: Machine) -> None:
    output = machine.install()

    assert machine.units == {"nginx.service", f"{unit(8501)}.service"}
    assert machine.replicas == {"127.0.0.1:8501"}
    assert output.index(f"restart {unit(8501)}") < output.index("reload-or-restart nginx")


def test_a_new_version_keeps_all_that_are_there(machine: Machine) -> None:
    machine.install(8501, 8502)
    output = machine.install()

    assert machine.replicas == {"127.0.0.1:8501", "127.0.0.1:8502"}
    first, answer = f"restart {unit(8501)}", "ask http://127.0.0.1:8501/api/health"
    assert output.index(first) < output.index(answer) < output.index(f"restart {unit(8502)}")


def test_one_that_is_no_longer_named_ends_once_nginx_has_let_go_of_it(machine: Machine) -> None:
    machine.install(8501, 8502, 8503)
    output = machine.install(8502)

    assert machine.units == {"nginx.service", f"{unit(8502)}.service"}
    assert machine.replicas == {"127.0.0.1:8502"}
    ended = [line for line in output if line.startswith("disable ")]
    assert sorted(ended) == [f"disable {unit(8501)}", f"disable {unit(8503)}"]
    assert output.index("reload-or-restart nginx") < min(map(output.index, ended))


def test_one_that_listens_elsewhere_is_asked_there(machine: Machine) -> None:
    machine.install()
    machine.add_setting("STREAMLIT_SERVER_ADDRESS=10.0.0.12")
    output = machine.install()

    assert "ask http://10.0.0.12:8501/api/health" in output
    assert machine.replicas == {"10.0.0.12:8501"}


def test_replicas_on_several_machines_stay_with_a_new_version(machine: Machine) -> None:
    machine.install()
    machine.add_setting('REPLICAS="127.0.0.1:8501 10.0.0.12:8501"')

    for _ in range(2):
        output = machine.install()
        assert machine.replicas == {"127.0.0.1:8501", "10.0.0.12:8501"}
        assert "ask http://127.0.0.1:8501/api/health" in output
