from ui.quoting import quote, quote_markdown


def test_each_device_becomes_a_chip_in_its_own_colour() -> None:
    said = quote("found at least two devices, cuda:0 and cpu!")

    assert '<span class="tp-device tp-cuda-0">cuda:0</span>' in said
    assert '<span class="tp-device tp-cpu">cpu</span>!' in said


def test_the_argument_that_torch_names_is_marked() -> None:
    said = quote("but got mat1 is on cpu, different from other tensors on cuda:0")

    assert "<mark>mat1</mark>" in said


def test_what_a_student_typed_cannot_become_markup() -> None:
    said = quote("<script>alert(1)</script>") + quote_markdown("<b onclick=x>**y**`<i>`")

    assert "<script" not in said
    assert "<b onclick" not in said
    assert "<i>" not in said


def test_a_method_called_cpu_is_not_a_device() -> None:
    assert "tp-device" not in quote("Use Tensor.cpu() to copy the tensor").replace("x.cpu", "")


def test_a_word_that_contains_cpu_is_not_a_device() -> None:
    assert "tp-device" not in quote("alloc_cpu.cpp and cpu_scalar, torch 2.13.0+cpu")
