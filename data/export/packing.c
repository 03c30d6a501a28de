
static void copy_element(const LIBRARY_tensor *tensor, void *to, long long to_number, const void *from,
                         long long from_number) {
  const size_t bytes = (size_t)tensor->element_bytes;
  memcpy((char *)to + (size_t)to_number * bytes, (const char *)from + (size_t)from_number * bytes, bytes);
}

void LIBRARY_pack(const LIBRARY_tensor *tensor, const void *plain, void *packed) {
  memset(packed, 0, (size_t)tensor->packed_elements * (size_t)tensor->element_bytes);
  for (long long i = 0; i < tensor->elements; ++i) copy_element(tensor, packed, offset_of(tensor, i), plain, i);
}

void LIBRARY_unpack(const LIBRARY_tensor *tensor, const void *packed, void *plain) {
  for (long long i = 0; i < tensor->elements; ++i) copy_element(tensor, plain, i, packed, offset_of(tensor, i));
}
