#pragma once

#include <string>
#include <vector>

/**
 * A stand-in for libcuda (stub_cuda_driver.cpp): a shared library with the driver's symbols whose one GPU is
 * the host's memory and whose time is a clock of its own. Tests let KERNELSCAPE_LIBCUDA name it
 * (KERNELSCAPE_STUB_CUDA_DRIVER is its path), in their own process and in workers that inherit it.
 *
 * How it behaves is read at every call from KERNELSCAPE_STUB_CUDA, words of the form key=value:
 *   init=CODE           cuInit gives the error
 *   devices=N           GPUs that there are (1)
 *   version=N           the driver's version of CUDA (13000)
 *   capability=N        90 is 9.0 (90)
 *   memory=BYTES        of the device (1 GiB); allocations beyond give CUDA_ERROR_OUT_OF_MEMORY
 *   retain=CODE         no context can be had
 *   load=CODE           no module can be loaded
 *   launch=CODE@N       the N-th launch (from 1) fails; sticky errors make every later call fail as well
 *   hang=N              the N-th launch never ends
 *   vanish=N            the device is gone from the N-th launch on
 *   microseconds=N      that a launch takes on the device's clock (100)
 *   computes=1          kernels that are sources compute the task that their header comment names, in up to
 *                       twice that time
 *   probe=N             microseconds of a launch of the speed probe (300)
 *   slow_probe=N@M      from its M-th launch in a process on (from 1) it takes N microseconds
 *   probe_fault=CODE    its launches fail; the context survives
 * Launches of the speed probe are not counted. Others are counted in the process;
 * KERNELSCAPE_STUB_CUDA_LAUNCHES may name a file that counts them over all processes (its size in bytes), so
 * that a fault strikes once and not each worker.
 *
 * Kernels: an image that is a shared object for the host runs as a kernel: its function ENTRY is called as
 * void ENTRY(void** arguments), where arguments[i] points to the i-th pointer, as cuLaunchKernel has them.
 * Any other image (a real cubin, a source) loads where it holds the entry's name, and its launches do nothing
 * unless computes=1.
 *
 * The same library has NVRTC's symbols (stub_nvrtc.cpp): KERNELSCAPE_NVRTC may name it too. Its cubin is the
 * source, its log the options; it knows sm_75, sm_80 and sm_90. A source that holds "fails with CODE" fails
 * so. KERNELSCAPE_STUB_NVRTC: major=N minor=N     its version (12.4) compile=CODE        every compile fails
 * wraps=1             its cubin is an ELF file that holds the source, which the driver loads
 *
 * It has NVML's symbols too (stub_nvml.cpp), for KERNELSCAPE_NVML. KERNELSCAPE_STUB_NVML: core=MHZ (1980)
 * memory=MHZ (2619) celsius=N (41) limits=BITS (0: why the clock is limited) init=CODE
 */
namespace kernelscape::measure_tests {

constexpr const char* stub_behaviour_variable = "KERNELSCAPE_STUB_CUDA";
constexpr const char* stub_nvrtc_variable = "KERNELSCAPE_STUB_NVRTC";
constexpr const char* stub_nvml_variable = "KERNELSCAPE_STUB_NVML";
constexpr const char* stub_launches_variable = "KERNELSCAPE_STUB_CUDA_LAUNCHES";

/**
 * C to append to a kernel of ours for the host, void KERNEL(int part, int parts, pointers...), so that the
 * shared object made of both runs on the stub by the name `entry`.
 */
inline std::string stub_kernel_wrapper(const std::string& kernel, const std::string& entry, int pointers) {
  std::string text = "\nvoid " + entry + "(void** arguments) {\n  " + kernel + "(0, 1";
  for (int i = 0; i < pointers; ++i) text += ", *(void**)arguments[" + std::to_string(i) + "]";
  return text + ");\n}\n";
}

}  // namespace kernelscape::measure_tests
