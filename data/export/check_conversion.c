/* --- one conversion --- */

static const LIBRARY_conversion *check_converted;

static void check_convert_part(int part, int parts) {
  check_converted->run(part, parts, check_called.first, check_called.output);
}

static int check_conversion(const LIBRARY_conversion *conversion) {
  void *plain = check_random(&conversion->from, 3);
  void *from = check_packed(&conversion->from, plain), *expected = check_packed(&conversion->to, plain);
  void *to = check_memory(&conversion->to, conversion->to.packed_elements);
  const size_t bytes = (size_t)conversion->to.packed_elements * sizeof(float);
  memset(to, 0xff, bytes);
  check_converted = conversion;
  check_called.first = from;
  check_called.output = to;
  team_call(check_convert_part);
  const int right = memcmp(to, expected, bytes) == 0;
  printf("%s: %s\n", conversion->name, right ? "right" : "WRONG");
  free(plain);
  free(from);
  free(expected);
  free(to);
  return right;
}

