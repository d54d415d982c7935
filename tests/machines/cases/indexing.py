import torch

from tests.machines.cases.case import as_on_cpu, case


@as_on_cpu
def cat_and_stack(device):
    x = torch.arange(4.0, device=device).reshape(2, 2)
    return [
        torch.cat([x, x], 1).tolist(),
        torch.stack([x[0], x[1]]).tolist(),
        torch.vstack([x, x]).tolist(),
    ]


@as_on_cpu
def where(device):
    x = torch.arange(-2.0, 3.0, device=device)
    return [torch.where(x > 0, x, -x).tolist(), torch.where(x > 0)[0].tolist()]


@as_on_cpu
def boolean_masks(device):
    x = torch.arange(5, device=device)
    x[x > 2] = 0
    return [x.tolist(), x[x > 0].tolist(), torch.masked_select(x, x > 1).tolist()]


@as_on_cpu
def integer_indices(device):
    x = torch.arange(6, device=device).reshape(2, 3)
    rows = torch.tensor([1, 0], device=device)
    return [x[rows].tolist(), x[rows, rows].tolist(), x[:, [2, 0]].tolist(), x[..., -1].tolist()]


@case([[1.0, 0.0], "cuda:0"])
def a_cuda_tensor_takes_a_cpu_index():
    x = torch.arange(3.0, device="cuda")
    y = x[torch.tensor([1, 0])]
    return [y.tolist(), str(y.device)]


@case([[True, False], "cuda:0"])
def a_cuda_tensor_takes_a_cpu_mask():
    x = torch.tensor([1.0, -1.0], device="cuda")
    y = x[torch.tensor([True, False])]
    return [(x > 0).tolist(), str(y.device)]


@as_on_cpu
def gather_scatter_and_index_add(device):
    x = torch.arange(6.0, device=device).reshape(2, 3)
    index = torch.tensor([[0, 2], [1, 1]], device=device)
    zeros = torch.zeros(2, 3, device=device)
    return [
        x.gather(1, index).tolist(),
        zeros.scatter(1, index, 1.0).tolist(),
        zeros.index_add(0, torch.tensor([0, 0], device=device), x).tolist(),
        x.index_select(1, torch.tensor([2], device=device)).tolist(),
    ]


@as_on_cpu
def reductions_and_sorting(device):
    x = torch.tensor([[3.0, 1.0], [2.0, 4.0]], device=device)
    values, order = x.sort(1)
    return [
        x.mean().item(),
        x.max(1).values.tolist(),
        x.std().item(),
        values.tolist(),
        order.tolist(),
        x.cumsum(0).tolist(),
        x.norm().item(),
        x.unique().tolist(),
    ]


@as_on_cpu
def matrix_products(device):
    x = torch.arange(6.0, device=device).reshape(2, 3)
    return [
        (x @ x.T).tolist(),
        torch.einsum("ij,kj->ik", x, x).tolist(),
        torch.mv(x, x[0]).tolist(),
        torch.outer(x[0], x[1]).tolist(),
        torch.bmm(x[None], x.T[None]).tolist(),
    ]


@as_on_cpu
def linear_algebra(device):
    x = torch.tensor([[4.0, 1.0], [1.0, 3.0]], device=device)
    return [
        torch.linalg.inv(x).flatten().tolist(),
        torch.linalg.det(x).item(),
        torch.linalg.cholesky(x).flatten().tolist(),
        torch.linalg.solve(x, torch.ones(2, device=device)).tolist(),
    ]


@as_on_cpu
def shapes(device):
    x = torch.arange(6.0, device=device).reshape(1, 2, 3)
    return [
        list(x.squeeze(0).permute(1, 0).shape),
        list(x.flatten().shape),
        list(x.repeat(2, 1, 1).shape),
        x.flip(-1).flatten().tolist(),
        x.roll(1, -1).flatten().tolist(),
        [list(part.shape) for part in x.chunk(2, 1)],
    ]


@as_on_cpu
def integer_and_boolean_arithmetic(device):
    x = torch.arange(1, 5, device=device)
    return [
        (x // 2).tolist(),
        (x % 3).tolist(),
        (x & 1).tolist(),
        (~(x > 2)).tolist(),
        (x / 2).tolist(),
        torch.bincount(x).tolist(),
    ]


@as_on_cpu
def equality_of_tensors(device):
    x = torch.ones(2, device=device)
    return [
        torch.equal(x, x.clone()),
        torch.allclose(x, x + 1e-9),
        bool((x == x).all()),
        bool(x.isnan().any()),
    ]


@as_on_cpu
def mixed_dtypes_promote(device):
    x = torch.ones(2, dtype=torch.int64, device=device) + torch.ones(2, device=device)
    return [str(x.dtype), str((torch.ones(2, dtype=torch.int32, device=device) * 1.5).dtype)]
