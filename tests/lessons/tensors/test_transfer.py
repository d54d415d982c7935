from playground import catalog
from playground.lessons.tensors.transfer import Transfer
from tests.answers import answer


def test_no_time_is_taken_from_simulated_devices():
    found = answer(Transfer())
    assert (found.table, found.explanation) == ((), "no-real-gpu")


def test_the_table_holds_medians_and_speeds():
    texts = ["0.002 0.004\n0.001 0.002\n0.00001 0.002\n", "0.004 0.008\n0.001 0.002\n0 0.002\n"]

    found = Transfer(mebibytes=16).measured([*texts, texts[1]])

    assert found.table == (
        ("call", "returned_ms", "done_ms", "gib_per_second"),
        ("x.to(…)", 4.0, 8.0, 1.95),  # 1/64 GiB in 8 ms
        ("p.to(…)", 1.0, 2.0, 7.81),
        ("p.to(…, non_blocking=True)", 0.0, 2.0, 7.81),
    )
    words = catalog.lesson("tensors").step("transfer").words
    for language in catalog.Language:
        said = words.explanations["transfer-measured"].filled(language, **found.values)
        assert "16.00 MiB" in said
    assert {*found.table[0]} <= {*words.labels}
