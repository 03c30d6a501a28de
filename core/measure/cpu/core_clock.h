#pragma once

namespace kernelscape::measure {

/**
 * Measures the clock, in hertz, of the core that the calling thread runs on, from the time of a chain of
 * dependent integer additions, one per cycle on every processor. Takes about 20 milliseconds and returns the
 * fastest of several runs.
 */
double measure_core_clock_hertz();

}  // namespace kernelscape::measure
