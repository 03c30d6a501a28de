/* A convolution of an image with a small filter: output is width x height, input filter_width - 1 wider and
 * filter_height - 1 higher. A block computes block_size_x * tile_size_x by block_size_y * tile_size_y elements; with
 * use_local through local memory, whose rows use_padding makes one element longer. Every macro in lower case that
 * is not defined here is a parameter. */
#define tile_width (block_size_x * tile_size_x)
#define tile_height (block_size_y * tile_size_y)
#define input_width (tile_width + filter_width - 1)
#define input_height (tile_height + filter_height - 1)

/* A pragma takes no macro. */
constexpr int unrolled_steps = unroll_filter;

extern "C" __global__ void __launch_bounds__(block_size_x * block_size_y)
    convolution(float* __restrict__ output, const float* __restrict__ input, const float* __restrict__ filter,
                int width, int height) {
#if use_local == 1
  __shared__ float image[input_height][input_width + use_padding];
#endif
  const int thread_x = threadIdx.x;
  const int thread_y = threadIdx.y;
  const int first_row = blockIdx.y * tile_height;
  const int first_column = blockIdx.x * tile_width;
  const int row_length = width + filter_width - 1;
#if use_local == 1
  for (int row = thread_y; row < input_height; row += block_size_y) {
    for (int column = thread_x; column < input_width; column += block_size_x) {
      const int from_row = first_row + row;
      const int from_column = first_column + column;
      image[row][column] = from_row < height + filter_height - 1 && from_column < row_length
                               ? input[from_row * row_length + from_column]
                               : 0.0f;
    }
  }
  __syncthreads();
#endif
  float sum[tile_size_y][tile_size_x];
  for (int row = 0; row < tile_size_y; ++row) {
    for (int column = 0; column < tile_size_x; ++column) sum[row][column] = 0.0f;
  }
  for (int down = 0; down < filter_height; ++down) {
#pragma unroll unrolled_steps
    for (int right = 0; right < filter_width; ++right) {
      const float weight = filter[down * filter_width + right];
      for (int row = 0; row < tile_size_y; ++row) {
        for (int column = 0; column < tile_size_x; ++column) {
          const int y = thread_y + row * block_size_y;
          const int x = thread_x + column * block_size_x;
#if use_local == 1
          sum[row][column] += weight * image[y + down][x + right];
#else
          if (first_row + y < height && first_column + x < width)
            sum[row][column] += weight * input[(first_row + y + down) * row_length + first_column + x + right];
#endif
        }
      }
    }
  }
  for (int row = 0; row < tile_size_y; ++row) {
    for (int column = 0; column < tile_size_x; ++column) {
      const int y = first_row + thread_y + row * block_size_y;
      const int x = first_column + thread_x + column * block_size_x;
      if (y < height && x < width) output[y * width + x] = sum[row][column];
    }
  }
}
