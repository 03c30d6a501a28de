/*
 * oneDNN's pass over the layers of LIBRARY, for pass.c: the same calls in the same order, layouts of oneDNN's choice,
 * weights reordered before, activations on one arena and reordered where layers that follow each other differ, by
 * the rule of the library's own conversions.
 */
#include <algorithm>
#include <cstdint>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#if !defined(__x86_64__)
#include <cstring>
#endif

namespace {

