"""Tunes a convolution of an image, as a script for Kernel Tuner does: only the import of tune_kernel is another.

python3 convolution.py [C|OpenCL]
"""

import sys

import numpy
from kernelscape.kernel_tuner import tune_kernel

SOURCES = {
    "C": """
#define filter_size 5

void convolution(float *output, const float *input, const float *filter, int width, int height) {
    int input_width = width + filter_size - 1;
    for (int top = 0; top < height; top += tile_y) {
        for (int left = 0; left < width; left += tile_x) {
            for (int y = top; y < top + tile_y && y < height; y++) {
                for (int x = left; x < left + tile_x && x < width; x++) {
                    float sum = 0.0f;
                    for (int j = 0; j < filter_size; j++) {
                        #if unroll == 1
                        #pragma GCC unroll 8
                        #endif
                        for (int i = 0; i < filter_size; i++) {
                            sum += input[(y + j) * input_width + x + i] * filter[j * filter_size + i];
                        }
                    }
                    output[y * width + x] = sum;
                }
            }
        }
    }
}
""",
    "OpenCL": """
#define filter_size 5

__kernel void convolution(__global float *output, __global const float *input, __constant float *filter,
                          int width, int height) {
    int input_width = width + filter_size - 1;
    for (int tile = 0; tile < tile_size_x; tile++) {
        int x = (get_group_id(0) * tile_size_x + tile) * block_size_x + get_local_id(0);
        int y = get_group_id(1) * block_size_y + get_local_id(1);
        if (x >= width || y >= height) {
            continue;
        }
        float sum = 0.0f;
        for (int j = 0; j < filter_size; j++) {
            for (int i = 0; i < filter_size; i++) {
                sum += input[(y + j) * input_width + x + i] * filter[j * filter_size + i];
            }
        }
        output[y * width + x] = sum;
    }
}
""",
}


def reference(image, weights, width, height):
    image = image.reshape(height + 4, width + 4).astype(numpy.float64)
    weights = weights.reshape(5, 5)
    return sum(
        weights[j, i] * image[j : j + height, i : i + width] for j in range(5) for i in range(5)
    ).astype(numpy.float32).ravel()


def tune(lang="C", width=512, height=512, **options):
    problem_size = (width, height)
    output = numpy.zeros(width * height).astype(numpy.float32)
    image = numpy.random.rand((width + 4) * (height + 4)).astype(numpy.float32)
    weights = numpy.random.rand(5 * 5).astype(numpy.float32)

    args = [output, image, weights, numpy.int32(width), numpy.int32(height)]

    tune_params = {}
    grid_div_x = None
    if lang == "C":
        tune_params["tile_x"] = [16, 64, 256]
        tune_params["tile_y"] = [4, 16, 64]
        tune_params["unroll"] = [0, 1]
        restrictions = lambda p: p["tile_x"] * p["tile_y"] <= 4096
        options.setdefault("compiler", "gcc")
    else:
        tune_params["block_size_x"] = [8, 16, 32]
        tune_params["block_size_y"] = [1, 4, 8]
        tune_params["tile_size_x"] = [1, 2, 4]
        grid_div_x = ["block_size_x", "tile_size_x"]
        restrictions = ["block_size_x * block_size_y >= 16"]

    metrics = {"GFLOP/s": lambda p: 2 * 25 * width * height / 1e9 / (p["time"] / 1e3)}

    return tune_kernel(
        "convolution", SOURCES[lang], problem_size, args, tune_params, grid_div_x=grid_div_x,
        restrictions=restrictions, answer=[reference(image, weights, width, height), None, None, None, None],
        atol=1e-4, metrics=metrics, **options,
    )


if __name__ == "__main__":
    tune(*sys.argv[1:])
