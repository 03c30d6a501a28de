#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/device_lease.h"
#include "core/schedule/target.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"

namespace kernelscape::study {

/** The times of one side of a pass, by round. */
struct PassSide {
  std::int64_t conversions = 0;                 ///< layout conversions in one pass
  std::vector<double> seconds = {};             ///< time of a whole pass
  std::vector<double> conversion_seconds = {};  ///< part of that time spent in conversions

  bool operator==(const PassSide&) const = default;
};

/**
 * All calls of a network's layers in their order, on one arena with cold weights, measured by the program
 * `pass` of its library, which alternates between our kernels and the vendor's. Other operators of the
 * network are in neither.
 */
struct MeasuredPass {
  std::string measured_utc = {};
  int threads = 1;
  std::int64_t calls = 0;
  bool order_known = true;                 ///< false: nothing is converted, and layers run as they are listed
  std::vector<std::string> left_out = {};  ///< layers without a kernel
  PassSide ours = {};
  PassSide vendor = {};             ///< without seconds if there is none
  std::string vendor_name = {};     ///< "oneDNN 2.6.3"
  std::string vendor_problem = {};  ///< why there is no pass of the vendor
  /**
   * The library of each layer's kernel, with the reason, if vendor kernels may be among ours; otherwise
   * empty.
   */
  std::vector<std::string> choices = {};

  /** Returns the vendor's median / ours, or nullopt without the vendor's. */
  std::optional<double> share_of_vendor() const;
  bool operator==(const MeasuredPass&) const = default;
};

/** Describes a pass in sentences for users: our time, the vendor's, and what neither contains. */
std::vector<std::string> pass_sentences(const MeasuredPass& pass);

/** Serializes a pass for Studies::save_measure(). */
std::string network_pass_to_json(const MeasuredPass& pass);
/**
 * Parses the output of network_pass_to_json() or of `pass --json`. Returns InvalidArgument for anything else.
 */
Result<MeasuredPass> network_pass_from_json(std::string_view json);

/** The kind under which Studies::save_measure() keeps passes. */
inline constexpr std::string_view network_pass_kind = "network pass";

/** Returns the latest pass of a network's study, or nullopt if none was measured. */
Result<std::optional<MeasuredPass>> stored_network_pass(const store::Store& store, store::StudyId id);

/** Default number of passes of each side. */
constexpr int default_pass_rounds = 15;

/** Functions that a measurement of a pass calls; may be empty. */
struct PassDevice {
  /** Called while another process uses the device, with a text that names the device and its user. */
  std::function<void(const std::string& text)> awaited{};
  std::function<void()> used{};  ///< called when the device was acquired
};

/**
 * Waits for a device, and reports that it is awaited and used. Errors: those of DeviceLease::acquire(), also
 * if the user stops the run. @param work names the measurement to other processes: "a pass over resnet-18"
 */
Result<measure::DeviceLease> lease_device(const schedule::TargetDescription& target, std::string_view work,
                                          const session::StopRequest& stop, const PassDevice& device);

/**
 * Builds the library of a network's study in a private folder, runs its pass in the sandbox of compilers, and
 * stores the result. The device is leased meanwhile.
 *
 * Returns Refused if the kernels are for a GPU or another machine, or if nothing was measured; Environment if
 * a program does not build or run; NotFound if no layer has a kernel.
 * @param vendor_where_faster uses the library that take_vendor_where_faster() makes; the result is returned
 * but not stored, since the network's number stands there
 */
Result<MeasuredPass> measure_network_pass(store::Store& store, store::StudyId id, int rounds,
                                          const session::StopRequest& stop, bool vendor_where_faster = false,
                                          const PassDevice& device = {});

}  // namespace kernelscape::study
