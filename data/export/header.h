/** One dimension of a packed tensor, outermost first: (index[source] / divisor) % extent. */
typedef struct LIBRARY_dimension {
  int source;
  long long divisor;
  long long extent;
} LIBRARY_dimension;

/** How a tensor lies in memory. Packed elements that no plain element maps to hold 0 in inputs. */
typedef struct LIBRARY_tensor {
  const char *name;
  const char *element; /* "f32" (float), "f16", "bf16" (unsigned short: the bits), "u8" (unsigned char),
                          "i8" (signed char), "i32" (int) */
  int element_bytes;
  const char *layout;
  int rank;
  const long long *shape; /* plain, row-major */
  int dimension_count;
  const LIBRARY_dimension *dimensions;
  long long elements;        /* product of the shape */
  long long packed_elements; /* to allocate */
  const double *transform;   /* of 3x3 kernels, before they are packed: transform * kernel * transposed transform;
                                transform_rows x 3, row-major; null: none */
  int transform_rows;
} LIBRARY_tensor;

/**
 * A kernel of this library; tensors[0] and [1] are the inputs, [2] is the output. EXPORT_OPERANDS_NOTE
 */
typedef struct LIBRARY_kernel {
  const char *name;
  const char *task;       /* "resnet18/C6" */
  const char *definition; /* "conv2d 1x64x56x56 ..." */
  double flops;
  void (*run)(int part, int parts, const void *first, const void *second, void *output EXPORT_OPERANDS);
  EXPORT_VENDOR
  LIBRARY_tensor tensors[EXPORT_TENSORS];
} LIBRARY_kernel;

extern const LIBRARY_kernel LIBRARY_kernels[];
extern const int LIBRARY_kernel_count;

/** The kernel of a task, by the task's name or its definition; null where there is none. */
const LIBRARY_kernel *LIBRARY_find(const char *task);

/** From plain row-major to packed, both of the tensor's type, transformed where the tensor has a transform; fills
    what no element maps to with 0. */
void LIBRARY_pack(const LIBRARY_tensor *tensor, const void *plain, void *packed);
/** From packed to plain row-major; not for tensors with a transform. */
void LIBRARY_unpack(const LIBRARY_tensor *tensor, const void *packed, void *plain);
