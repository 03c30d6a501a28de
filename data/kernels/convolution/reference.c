/* What is right: sums in double precision. FILTER_WIDTH and FILTER_HEIGHT come from the project's flags. */
void reference(float* output, const float* input, const float* filter, int width, int height) {
  const int row_length = width + FILTER_WIDTH - 1;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int down = 0; down < FILTER_HEIGHT; ++down) {
        for (int right = 0; right < FILTER_WIDTH; ++right)
          sum += (double)filter[down * FILTER_WIDTH + right] * input[(y + down) * row_length + x + right];
      }
      output[y * width + x] = (float)sum;
    }
  }
}
