/* What is right: the sums in another order and in double precision. */
void reference(float* next, const float* now, int nx, int ny, int nz, float center, float side) {
  for (int z = 1; z < nz - 1; ++z) {
    for (int y = 1; y < ny - 1; ++y) {
      for (int x = 1; x < nx - 1; ++x) {
        const int at = (z * ny + y) * nx + x;
        const double around = (double)now[at - nx * ny] + now[at + nx * ny] + now[at - nx] + now[at + nx] +
                              now[at - 1] + now[at + 1];
        next[at] = (float)((double)center * now[at] + (double)side * around);
      }
    }
  }
}
