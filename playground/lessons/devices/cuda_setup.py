"""Reference "cuda_setup": CUDA, its installation, and access to a GPU."""

from playground.steps import Answer, Machine, Run, Step, Words


class CudaSetup(Step):
    """Check whether the installed PyTorch is built for CUDA and finds a GPU.

    The program runs on this server's own devices, even if the visitor chose simulated ones, which
    do not depend on the installation.
    """

    machine: Machine = Machine()

    def host(self) -> None:
        """Use no simulated devices."""

    def code(self, w: Words) -> str:
        return f"""
            import torch

            print("PyTorch", torch.__version__)
            print("built for CUDA", torch.version.cuda)
            print("a GPU can be used:", torch.cuda.is_available())
            X = torch.ones(2, device="cuda:0"){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Find the first thing that is missing, by PyTorch's own message."""
        prediction = "works"
        if not run.outcome.ok:
            is_built = "not compiled" not in run.outcome.message
            prediction = "no_gpu" if is_built else "not_compiled"
        torch = run["torch"]
        return Answer(
            prediction=prediction,
            explanation="three-checks",
            placeholders={
                "cuda_build": str(torch.version.cuda),
                "is_available": torch.cuda.is_available(),
            },
        )
