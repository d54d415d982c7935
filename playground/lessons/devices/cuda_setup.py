"""Reference: what CUDA is, what has to be installed, and how to get a GPU."""

from playground.steps import Answer, Machine, Run, Step, Words


class CudaSetup(Step):
    """Ask the installed PyTorch whether it was built for CUDA and finds a GPU.

    The program runs on this server as it is, also where the visitor chose simulated devices: these
    are there whatever is installed.
    """

    machine: Machine = Machine()

    def host(self) -> None:
        """No simulated devices."""

    def code(self, w: Words) -> str:
        """Print what PyTorch knows, then use the GPU."""
        return f"""
            import torch

            print("PyTorch", torch.__version__)
            print("built for CUDA", torch.version.cuda)
            print("a GPU can be used:", torch.cuda.is_available())
            X = torch.ones(2, device="cuda:0"){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Tell by PyTorch's own message what is missing first."""
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
