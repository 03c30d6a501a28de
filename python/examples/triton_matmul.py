"""Tunes the configurations of a Triton kernel by timing them, instead of @triton.autotune.

Needs triton, torch and a GPU. The function is separate from its timer, so that tests run it without them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernelscape import TuningResult, tune

SPACE = {
    "BLOCK_M": [32, 64, 128],
    "BLOCK_N": [32, 64, 128],
    "BLOCK_K": [16, 32, 64],
    "num_warps": [2, 4, 8],
    "num_stages": [2, 3, 4],
}


def tune_configs(time_config: Callable[..., float | Sequence[float]], **options: object) -> TuningResult:
    """Tunes a kernel. ``time_config`` launches it with a configuration and returns its time in seconds."""
    restrictions = "BLOCK_M * BLOCK_N <= 8192"
    return tune(time_config, SPACE, restrictions=restrictions, name="triton matmul", flops=2 * 1024**3, **options)


def main() -> None:
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def matmul(a, b, c, size, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
        rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for begin in range(0, size, BLOCK_K):
            depth = begin + tl.arange(0, BLOCK_K)
            left = tl.load(a + rows[:, None] * size + depth[None, :])
            total += tl.dot(left, tl.load(b + depth[:, None] * size + columns[None, :]))
        tl.store(c + rows[:, None] * size + columns[None, :], total)

    size = 1024
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(size, size, device="cuda")

    def time_config(BLOCK_M: int, BLOCK_N: int, BLOCK_K: int, num_warps: int, num_stages: int) -> float:
        grid = (size // BLOCK_M, size // BLOCK_N)

        def launch() -> None:
            matmul[grid](a, b, c, size, BLOCK_M, BLOCK_N, BLOCK_K, num_warps=num_warps, num_stages=num_stages)

        return triton.testing.do_bench(launch) * 1e-3  # do_bench returns milliseconds

    print(tune_configs(time_config, trials=100, target="cuda:0").best)


if __name__ == "__main__":
    main()
