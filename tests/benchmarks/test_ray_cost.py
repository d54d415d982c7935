from benchmarks import ray_cost


def test_without_ray_it_says_so_and_has_no_figures(monkeypatch, capsys):
    monkeypatch.setattr(ray_cost, "find_spec", lambda _: None)

    assert ray_cost.measure() == {}
    assert "requirements-ray.txt" in capsys.readouterr().out
