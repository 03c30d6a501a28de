"""Tunes a vector addition, as a script for Kernel Tuner does: only the import of tune_kernel is another.

python3 vector_add.py [C|OpenCL]
"""

import sys

import numpy
from kernelscape.kernel_tuner import tune_kernel

SOURCES = {
    "C": """
#include <omp.h>

typedef float vfloat __attribute__((vector_size(vecsize * 4)));

extern "C" float vector_add(vfloat *c, vfloat *a, vfloat *b, int n) {
    double start = omp_get_wtime();
    #pragma omp parallel for num_threads(nthreads)
    for (int i = 0; i < n / vecsize; i++) {
        c[i] = a[i] + b[i];
    }
    return (float)((omp_get_wtime() - start) * 1e3);
}
""",
    "OpenCL": """
__kernel void vector_add(__global float *c, __global const float *a, __global const float *b, int n) {
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
""",
}


def tune(lang="C", size=1_000_000, **options):
    a = numpy.random.randn(size).astype(numpy.float32)
    b = numpy.random.randn(size).astype(numpy.float32)
    c = numpy.zeros_like(b)
    n = numpy.int32(size)

    args = [c, a, b, n]

    tune_params = {}
    if lang == "C":
        tune_params["nthreads"] = [1, 2, 4]
        tune_params["vecsize"] = [1, 2, 4, 8, 16]
    else:
        tune_params["block_size_x"] = [16 * 2**i for i in range(5)]

    answer = [a + b, None, None, None]

    return tune_kernel("vector_add", SOURCES[lang], size, args, tune_params, answer=answer, **options)


if __name__ == "__main__":
    tune(*sys.argv[1:])
