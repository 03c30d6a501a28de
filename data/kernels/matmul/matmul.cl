/* c = a * b: a has rows x depth elements, b depth x columns, row by row. A block computes a tile of
 * block_size_y * tile_size_y rows and block_size_x * tile_size_x columns, tile_size_k steps of the depth at a time,
 * through local memory or not (use_local). Every macro in lower case that is not defined here is a parameter. */
#define tile_rows (block_size_y * tile_size_y)
#define tile_columns (block_size_x * tile_size_x)

__kernel __attribute__((reqd_work_group_size(block_size_x, block_size_y, 1))) void matmul(
    __global float* restrict c, __global const float* restrict a, __global const float* restrict b, int rows,
    int columns, int depth) {
#if use_local == 1
  __local float a_tile[tile_rows][tile_size_k + 1];
  __local float b_tile[tile_size_k][tile_columns];
#endif
  const int thread_x = get_local_id(0);
  const int thread_y = get_local_id(1);
  const int first_row = get_group_id(1) * tile_rows;
  const int first_column = get_group_id(0) * tile_columns;
  float sum[tile_size_y][tile_size_x];
  for (int row = 0; row < tile_size_y; ++row) {
    for (int column = 0; column < tile_size_x; ++column) sum[row][column] = 0.0f;
  }
  for (int start = 0; start < depth; start += tile_size_k) {
#if use_local == 1
    const int thread = thread_y * block_size_x + thread_x;
    for (int i = thread; i < tile_rows * tile_size_k; i += block_size_x * block_size_y) {
      const int row = first_row + i / tile_size_k;
      const int inner = start + i % tile_size_k;
      a_tile[i / tile_size_k][i % tile_size_k] = row < rows && inner < depth ? a[row * depth + inner] : 0.0f;
    }
    for (int i = thread; i < tile_size_k * tile_columns; i += block_size_x * block_size_y) {
      const int inner = start + i / tile_columns;
      const int column = first_column + i % tile_columns;
      b_tile[i / tile_columns][i % tile_columns] =
          inner < depth && column < columns ? b[inner * columns + column] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll unroll_k
    for (int step = 0; step < tile_size_k; ++step) {
      float a_values[tile_size_y];
      for (int row = 0; row < tile_size_y; ++row) {
#if use_local == 1
        a_values[row] = a_tile[thread_y + row * block_size_y][step];
#else
        const int from = first_row + thread_y + row * block_size_y;
        a_values[row] = from < rows && start + step < depth ? a[from * depth + start + step] : 0.0f;
#endif
      }
      for (int column = 0; column < tile_size_x; ++column) {
#if use_local == 1
        const float b_value = b_tile[step][thread_x + column * block_size_x];
#else
        const int from = first_column + thread_x + column * block_size_x;
        const float b_value =
            from < columns && start + step < depth ? b[(start + step) * columns + from] : 0.0f;
#endif
        for (int row = 0; row < tile_size_y; ++row) sum[row][column] += a_values[row] * b_value;
      }
    }
#if use_local == 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
  for (int row = 0; row < tile_size_y; ++row) {
    for (int column = 0; column < tile_size_x; ++column) {
      const int to_row = first_row + thread_y + row * block_size_y;
      const int to_column = first_column + thread_x + column * block_size_x;
      if (to_row < rows && to_column < columns) c[to_row * columns + to_column] = sum[row][column];
    }
  }
}
