
struct Operand {
  bool constant;
  std::vector<std::size_t> calls; /* whose results reach it; none: the network's input */
};

struct Call {
  std::size_t layer;
  Operand operands[2];
};

const bool order_known = EXPORT_KNOWN;

