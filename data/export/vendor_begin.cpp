/*
 * The layers of LIBRARY that oneDNN computes, where it was measured to be faster: README.md says by how much.
 *
 * Part 0 of a call computes the whole, on as many of OpenMP's threads as there are parts; within a parallel region of
 * OpenMP's it has one thread. Other parts have nothing to do. Calls at the same time wait for each other. Where an
 * input is padded, oneDNN 2 writes the 0 that stands in its padding.
 */
#include <omp.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "LIBRARY.h"

namespace {
