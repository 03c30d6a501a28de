#pragma once

namespace kernelscape {

/**
 * The clock of the core that the calling thread runs on, from the time of a chain of dependent additions of
 * whole numbers, one per cycle on every processor: about 20 milliseconds; the fastest of several stretches.
 */
double measure_core_clock_hertz();

}  // namespace kernelscape
