/* A step of heat flow in three dimensions: each inner element of `next` from the seven of `now` around it. The box is
 * cut into tiles of tile_z x tile_y x tile_x elements, which the parts share in turn; the innermost loop has `unroll`
 * elements in hand. Every macro in lower case is a parameter. */
static inline float stepped(const float* now, int at, int row, int plane, float center, float side) {
  return center * now[at] + side * (now[at - 1] + now[at + 1] + now[at - row] + now[at + row] + now[at - plane] +
                                    now[at + plane]);
}

void stencil(int part, int parts, float* restrict next, const float* restrict now, int nx, int ny, int nz,
             float center, float side) {
  const int plane = nx * ny;
  const int tiles_x = (nx - 2 + tile_x - 1) / tile_x;
  const int tiles_y = (ny - 2 + tile_y - 1) / tile_y;
  const int tiles_z = (nz - 2 + tile_z - 1) / tile_z;
  for (int tile = part; tile < tiles_x * tiles_y * tiles_z; tile += parts) {
    const int x0 = 1 + tile % tiles_x * tile_x;
    const int y0 = 1 + tile / tiles_x % tiles_y * tile_y;
    const int z0 = 1 + tile / tiles_x / tiles_y * tile_z;
    const int x1 = x0 + tile_x < nx - 1 ? x0 + tile_x : nx - 1;
    const int y1 = y0 + tile_y < ny - 1 ? y0 + tile_y : ny - 1;
    const int z1 = z0 + tile_z < nz - 1 ? z0 + tile_z : nz - 1;
    for (int z = z0; z < z1; ++z) {
      for (int y = y0; y < y1; ++y) {
        const int start = z * plane + y * nx;
        int x = x0;
        for (; x + unroll <= x1; x += unroll) {
          for (int lane = 0; lane < unroll; ++lane)
            next[start + x + lane] = stepped(now, start + x + lane, nx, plane, center, side);
        }
        for (; x < x1; ++x) next[start + x] = stepped(now, start + x, nx, plane, center, side);
      }
    }
  }
}
