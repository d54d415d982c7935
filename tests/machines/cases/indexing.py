import torch

from tests.machines.cases.case import as_on_cpu, case, devices


@as_on_cpu
def cat_stack_and_where(device):
    x, y = torch.arange(4.0, device=device).reshape(2, 2), torch.arange(-2.0, 3.0, device=device)
    joined = [torch.cat([x, x], 1), torch.stack([x[0], x[1]]), torch.vstack([x, x])]
    return [*joined, torch.where(y > 0, y, -y), *torch.where(y > 0)]


@as_on_cpu
def boolean_masks(device):
    x = torch.arange(5, device=device)
    x[x > 2] = 0
    return [x, x[x > 0], torch.masked_select(x, x > 1)]


@as_on_cpu
def integer_indices(device):
    x = torch.arange(6, device=device).reshape(2, 3)
    rows = torch.tensor([1, 0], device=device)
    return [x[rows], x[rows, rows], x[:, [2, 0]], x[..., -1]]


@case(["cuda:0", "cuda:0", [1.0, 0.0], [0.0, 2.0]])
def a_cuda_tensor_takes_a_cpu_index_or_mask():
    x = torch.arange(3.0, device="cuda")
    y, z = x[torch.tensor([1, 0])], x[torch.tensor([True, False, True])]
    return [*devices(y, z), y, z]


@as_on_cpu
def gather_scatter_and_index_add(device):
    x = torch.arange(6.0, device=device).reshape(2, 3)
    index = torch.tensor([[0, 2], [1, 1]], device=device)
    zeros = torch.zeros(2, 3, device=device)
    return [
        x.gather(1, index),
        zeros.scatter(1, index, 1.0),
        zeros.index_add(0, torch.tensor([0, 0], device=device), x),
        x.index_select(1, torch.tensor([2], device=device)),
    ]


@as_on_cpu
def reductions_and_sorting(device):
    x = torch.tensor([[3.0, 1.0], [2.0, 4.0]], device=device)
    return [x.mean(), x.max(1).values, x.std(), *x.sort(1), x.cumsum(0), x.norm(), x.unique()]


@as_on_cpu
def matrix_products(device):
    x = torch.arange(6.0, device=device).reshape(2, 3)
    return [
        x @ x.T,
        torch.einsum("ij,kj->ik", x, x),
        torch.mv(x, x[0]),
        torch.outer(x[0], x[1]),
        torch.bmm(x[None], x.T[None]),
    ]


@as_on_cpu
def linear_algebra(device):
    x = torch.tensor([[4.0, 1.0], [1.0, 3.0]], device=device)
    solved = torch.linalg.solve(x, torch.ones(2, device=device))
    return [torch.linalg.inv(x), torch.linalg.det(x), torch.linalg.cholesky(x), solved]


@as_on_cpu
def shapes(device):
    x = torch.arange(6.0, device=device).reshape(1, 2, 3)
    turned = [x.squeeze(0).permute(1, 0), x.flatten(), x.repeat(2, 1, 1), x.flip(-1), x.roll(1, -1)]
    return [[y.shape, y] for y in (*turned, *x.chunk(2, 1))]


@as_on_cpu
def integer_and_boolean_arithmetic(device):
    x = torch.arange(1, 5, device=device)
    return [x // 2, x % 3, x & 1, ~(x > 2), x / 2, torch.bincount(x)]


@as_on_cpu
def equality_and_promotion(device):
    x = torch.ones(2, device=device)
    same = [torch.equal(x, x.clone()), torch.allclose(x, x + 1e-9)]
    promoted = torch.ones(2, dtype=torch.int64, device=device) + x
    scaled = torch.ones(2, dtype=torch.int32, device=device) * 1.5
    return [*same, bool((x == x).all()), bool(x.isnan().any()), promoted.dtype, scaled.dtype]
