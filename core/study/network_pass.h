#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/stop_request.h"
#include "core/store/store.h"

namespace kernelscape {

/** What one side of a pass took, in each of its rounds. */
struct PassSide {
  std::int64_t conversions = 0;                 ///< of layouts, in one pass
  std::vector<double> seconds = {};             ///< of a whole pass
  std::vector<double> conversion_seconds = {};  ///< of it, for conversions

  bool operator==(const PassSide&) const = default;
};

/**
 * All calls of a network's layers in their order, on one arena with cold weights: as the program `pass` of
 * its library measures it, ours and the vendor's in turns. What the network computes beside is left out of
 * both.
 */
struct MeasuredPass {
  std::string measured_utc = {};
  int threads = 1;
  std::int64_t calls = 0;
  bool order_known = true;                 ///< false: nothing is converted, layers stand as they are listed
  std::vector<std::string> left_out = {};  ///< layers without a kernel
  PassSide ours = {};
  PassSide vendor = {};             ///< without seconds where there is none
  std::string vendor_name = {};     ///< "oneDNN 2.6.3"
  std::string vendor_problem = {};  ///< why there is no vendor's pass
  /** Whose kernel each layer has and why, where the vendor's may be among ours; else empty. */
  std::vector<std::string> choices = {};

  /** The vendor's median / ours; none without the vendor's. */
  std::optional<double> share_of_vendor() const;
  bool operator==(const MeasuredPass&) const = default;
};

/** What a pass says, in sentences for people: ours, the vendor's, and what is not in them. */
std::vector<std::string> pass_sentences(const MeasuredPass& pass);

/** As save_study_measure() keeps it. */
std::string network_pass_to_json(const MeasuredPass& pass);
/** What network_pass_to_json() wrote, or `pass --json`. InvalidArgument for anything else. */
Result<MeasuredPass> network_pass_from_json(std::string_view json);

/** With which kind Store::save_study_measure() keeps it. */
inline constexpr std::string_view network_pass_kind = "network pass";

/** The pass that was measured last of a network's study; none: there was none. */
Result<std::optional<MeasuredPass>> stored_network_pass(const Store& store, StudyId id);

/** Passes of each side, unless told otherwise. */
constexpr int default_pass_rounds = 15;

/**
 * Builds the library of a network's study in a private folder, runs its pass, confined as compilers are, and
 * stores what it tells. The device is leased meanwhile.
 *
 * Refused: the kernels are for a GPU or another machine, or nothing was measured. Environment: something
 * does not build or run. NotFound: no layer has a kernel.
 * @param vendor_where_faster ours is the library that take_vendor_where_faster() makes: it is told, and not
 * stored, where the network's number is
 */
Result<MeasuredPass> measure_network_pass(Store& store, StudyId id, int rounds, const StopRequest& stop,
                                          bool vendor_where_faster = false);
/** The same with default_pass_rounds, as runs of networks end with it. */
Result<MeasuredPass> pass_on_this_machine(Store& store, StudyId id, const StopRequest& stop);

}  // namespace kernelscape
