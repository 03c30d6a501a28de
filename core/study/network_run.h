#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/target.h"
#include "core/study/network_pass.h"
#include "core/study/study.h"
#include "core/task/catalogue.h"
#include "core/task/network.h"
#include "core/trial/vendor_comparison.h"

namespace kernelscape {

/** What a user wants of a network: names and numbers, unchecked. */
struct NetworkRequest {
  std::string network;  ///< of the catalogue, where no other is given
  std::string target = "cpu";
  std::string template_name = {};  ///< empty: of each layer the first that fits
  std::string tuner{default_tuner};
  std::map<std::string, std::string> settings = {};
  std::string scheduler = {};  ///< of a budget that all layers share; empty: each has it for itself
  Budget budget = {};
  MeasureOptions measuring = {};
  std::uint64_t seed = 1;
  std::string name = {};  ///< empty: made of the network and the tuner
};

/** A layer that no template fits on the target. */
struct LeftOutLayer {
  std::string task;
  std::int64_t multiplicity = 1;
  std::string reason;
};

/** A network's layers that can be stored as a study. */
struct NetworkPlan {
  StudyDefinition study;
  std::vector<LeftOutLayer> left_out;
};

/** A session for each layer that a template fits. Errors: an unknown network or template; no layer fits. */
Result<NetworkPlan> plan_network(const NetworkRequest& request, const Catalogue& catalogue,
                                 const TargetDescription& target);
/** The same of any network, which the study then holds whole where the catalogue has it not. */
Result<NetworkPlan> plan_network(const NetworkRequest& request, const WholeNetwork& network,
                                 const Catalogue& catalogue, const TargetDescription& target);

/** The whole network that a study is of: what it stores, else the catalogue's. */
Result<WholeNetwork> network_of_study(const StudyDefinition& study);

/** Of each of the network's layers its place among the study's tasks; none: it was left out. */
std::vector<std::optional<std::size_t>> layers_of_study(const WholeNetwork& network,
                                                        const StudyDefinition& study);

/** What a network's study has of one layer: the best of its runs, confirmed ones first. */
struct NetworkLayerOutcome {
  std::string task;
  std::string text;  ///< the task written out; empty before its first session
  std::int64_t multiplicity = 1;
  double flops = 0;
  std::optional<SessionId> session;  ///< that has the kernel; without one the newest that was begun
  std::int64_t trial = -1;           ///< -1: there is no kernel
  double seconds = 0;                ///< of a call
  bool confirmed = false;            ///< measured again at the end of its session
  std::string vendor_name;
  std::string vendor_algorithm{};
  double vendor_seconds = 0;   ///< 0: there is none
  std::int64_t trials = 0;     ///< of all runs
  double session_seconds = 0;  ///< of all runs
  std::string missing;         ///< why there is no kernel; empty: there is one

  /** Of the vendor's library's speed; nothing where it was not measured. */
  std::optional<double> share_of_vendor() const;
  /** With which library its kernel was compared; without a name where it was not. */
  ComparedVendor compared_with() const;
};

/** What a network's study has so far. */
struct NetworkOutcome {
  std::string network;
  std::vector<NetworkLayerOutcome> layers;
  double seconds = 0;        ///< of all layers that have a kernel, each as often as the network has it
  std::int64_t missing = 0;  ///< layers without one, which the sum lacks
  /** Over the layers of which both were measured. */
  double vendor_seconds = 0;
  double seconds_beside_vendor = 0;
  std::string vendor_title{};   ///< of these layers: common_vendor_title()
  std::string vendor_notice{};  ///< vendor_difference_text(); empty: the sum is of one library
  double tuning_seconds = 0;    ///< session time of all runs
  /** All calls in their order, as it was measured last; none: it was not measured. */
  std::optional<MeasuredPass> pass = {};
  std::int64_t calls = 0;                   ///< of all layers of the network, with and without a kernel
  std::vector<OtherOperators> others = {};  ///< what else the network computes, which no number here contains
};

/** InvalidArgument where the study is for another purpose. */
Result<NetworkOutcome> network_outcome(const Store& store, StudyId id);

/**
 * The network's study that a user names: by number or name, or the newest of a network, which may be named by
 * its model's file. InvalidArgument where it is a study for another purpose.
 */
Result<StudyId> find_network_study(const Store& store, const std::string& name);

}  // namespace kernelscape
