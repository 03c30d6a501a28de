
/* Where an element lies: the sum over parts of (index of a dimension / divisor) % extent * stride. */
using Part = std::array<memory::dim, 4>; /* dimension, divisor, extent, stride */
using Parts = std::set<Part>;

struct TakenLayer {
  const char *name;
  Layer layer;
  Parts layouts[3];
};

