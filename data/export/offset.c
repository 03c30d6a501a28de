
/** Where the element with this row-major number lies. */
static long long offset_of(const LIBRARY_tensor *tensor, long long element) {
  long long offset = 0;
  for (int d = 0; d < tensor->dimension_count; ++d) {
    const LIBRARY_dimension *dimension = &tensor->dimensions[d];
    long long index = element;
    for (int i = tensor->rank - 1; i > dimension->source; --i) index /= tensor->shape[i];
    index %= tensor->shape[dimension->source];
    offset = offset * dimension->extent + index / dimension->divisor % dimension->extent;
  }
  return offset;
}
