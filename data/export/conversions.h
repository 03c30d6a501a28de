
/** The same tensor from one layout to another; run(part, parts, from, to) does a part, as a kernel does. */
typedef struct LIBRARY_conversion {
  const char *name;
  LIBRARY_tensor from;
  LIBRARY_tensor to;
  void (*run)(int part, int parts, const float *from, float *to);
} LIBRARY_conversion;

/** What layers that follow each other need; the last row is empty. */
extern const LIBRARY_conversion LIBRARY_conversions[];
extern const int LIBRARY_conversion_count;
