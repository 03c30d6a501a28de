
static void copy_element(const LIBRARY_tensor *tensor, void *to, long long to_number, const void *from,
                         long long from_number) {
  const size_t bytes = (size_t)tensor->element_bytes;
  memcpy((char *)to + (size_t)to_number * bytes, (const char *)from + (size_t)from_number * bytes, bytes);
}

/* Element (row, column) of transform * kernel * transposed transform. */
static double transformed_element(const double *transform, const float *kernel, int row, int column) {
  double sum = 0;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) sum += transform[3 * row + y] * (double)kernel[3 * y + x] * transform[3 * column + x];
  return sum;
}

static void pack_transformed(const LIBRARY_tensor *tensor, const float *plain, float *packed) {
  const int rows = tensor->transform_rows;
  const long long shape[4] = {tensor->shape[0], tensor->shape[1], rows, rows};
  LIBRARY_tensor transformed = *tensor;
  transformed.shape = shape;
  for (long long kernel = 0; kernel < tensor->elements / 9; ++kernel)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < rows; ++column)
        packed[offset_of(&transformed, (kernel * rows + row) * rows + column)] =
            (float)transformed_element(tensor->transform, plain + 9 * kernel, row, column);
}

void LIBRARY_pack(const LIBRARY_tensor *tensor, const void *plain, void *packed) {
  memset(packed, 0, (size_t)tensor->packed_elements * (size_t)tensor->element_bytes);
  if (tensor->transform != NULL) {
    pack_transformed(tensor, (const float *)plain, (float *)packed);
    return;
  }
  for (long long i = 0; i < tensor->elements; ++i) copy_element(tensor, packed, offset_of(tensor, i), plain, i);
}

void LIBRARY_unpack(const LIBRARY_tensor *tensor, const void *packed, void *plain) {
  for (long long i = 0; i < tensor->elements; ++i) copy_element(tensor, plain, i, packed, offset_of(tensor, i));
}
