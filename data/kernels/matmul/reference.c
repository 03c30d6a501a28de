/* What is right: sums in double precision. */
void reference(float* c, const float* a, const float* b, int rows, int columns, int depth) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      double sum = 0;
      for (int inner = 0; inner < depth; ++inner)
        sum += (double)a[row * depth + inner] * b[inner * columns + column];
      c[row * columns + column] = (float)sum;
    }
  }
}
