"""Tunes a multiplication of matrices, as a script for Kernel Tuner does: only the import of tune_kernel is another.

python3 matmul.py [C|OpenCL]
"""

import sys

import numpy
from kernelscape.kernel_tuner import tune_kernel

SOURCES = {
    "C": """
void matmul(float *c, const float *a, const float *b, int size) {
    for (int top = 0; top < size; top += block_rows) {
        for (int first = 0; first < size; first += block_depth) {
            for (int row = top; row < top + block_rows && row < size; row++) {
                for (int k = first; k < first + block_depth && k < size; k++) {
                    for (int column = 0; column < size; column++) {
                        float previous = k == 0 ? 0.0f : c[row * size + column];
                        c[row * size + column] = previous + a[row * size + k] * b[k * size + column];
                    }
                }
            }
        }
    }
}
""",
    "OpenCL": """
__kernel void matmul(__global float *c, __global const float *a, __global const float *b, int size) {
    __local float tile_a[block_size_y][block_size_x];
    __local float tile_b[block_size_x][block_size_x];
    int tx = get_local_id(0);
    int ty = get_local_id(1);
    int x = get_group_id(0) * block_size_x + tx;
    int y = get_group_id(1) * block_size_y + ty;
    float sum = 0.0f;
    for (int first = 0; first < size; first += block_size_x) {
        tile_a[ty][tx] = a[y * size + first + tx];
        for (int row = ty; row < block_size_x; row += block_size_y) {
            tile_b[row][tx] = b[(first + row) * size + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < block_size_x; k++) {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * size + x] = sum;
}
""",
}


def tune(lang="C", size=256, **options):
    a = numpy.random.rand(size, size).astype(numpy.float32)
    b = numpy.random.rand(size, size).astype(numpy.float32)
    c = numpy.zeros_like(a)

    args = [c, a, b, numpy.int32(size)]

    tune_params = {}
    if lang == "C":
        tune_params["block_rows"] = [4, 16, 64]
        tune_params["block_depth"] = [4, 16, 64, 256]
        options.setdefault("compiler", "gcc")
        options.setdefault("compiler_options", ["-O3"])
    else:
        tune_params["block_size_x"] = [4, 8, 16]
        tune_params["block_size_y"] = [2, 4, 8, 16]
        options.setdefault("restrictions", ["block_size_y <= block_size_x", "block_size_x % block_size_y == 0"])

    metrics = {"GFLOP/s": f"{2 * size**3} / 1e6 / time"}

    return tune_kernel(
        "matmul", SOURCES[lang], (size, size), args, tune_params, answer=[a @ b, None, None, None], atol=1e-3,
        metrics=metrics, **options,
    )


if __name__ == "__main__":
    tune(*sys.argv[1:])
