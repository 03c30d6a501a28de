#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/best_result.h"
#include "core/schedule/target.h"
#include "core/study/latency_series.h"
#include "core/study/model_latency.h"
#include "core/study/network_pass.h"
#include "core/study/study.h"
#include "core/task/catalogue.h"
#include "core/task/network.h"
#include "core/trial/vendor_comparison.h"

namespace kernelscape::study {

/** A user's request to tune a network: names and numbers, unchecked. */
struct NetworkRequest {
  std::string network = {};  ///< name in the catalogue, unless another network is given
  std::string target = "cpu";
  std::string template_name = {};  ///< empty: for each layer schedule::default_template()
  bool exact = false;              ///< leaves out templates with rounding errors of their own (Winograd)
  std::string tuner{tuner::default_tuner};
  std::map<std::string, std::string> settings = {};
  std::string scheduler = {};  ///< scheduler of a budget that all layers share; empty: each layer has its own
  NetworkObjective objective = NetworkObjective::Layers;  ///< see Definition::objective
  trial::Budget budget = {};
  trial::MeasureOptions measuring = {};
  std::uint64_t seed = 1;
  std::string name = {};                         ///< empty: derived from the network and the tuner
  std::optional<ModelSource> model_source = {};  ///< the model that the network was read from
};

/**
 * Returns the template that a request chooses for a layer; empty: the first that supports it. A tuner with a
 * predictor has only templates that compute the definition, since predictors are trained on these.
 */
std::string layer_template(const NetworkRequest& request, const task::WholeNetwork& network,
                           std::size_t layer, const schedule::TargetDescription& target);

/** A layer that no template supports on the target. */
struct LeftOutLayer {
  std::string task;
  std::int64_t multiplicity = 1;
  std::string reason;
};

/** A network's layers that can be stored as a study. */
struct NetworkPlan {
  Definition study;
  std::vector<LeftOutLayer> left_out;
};

/**
 * Plans a session for each layer that a template supports. Returns an error for an unknown network or
 * template, or if no layer is supported.
 */
Result<NetworkPlan> plan_network(const NetworkRequest& request, const task::Catalogue& catalogue,
                                 const schedule::TargetDescription& target);
/**
 * Plans a session for each supported layer of any network. The study contains the whole network if the
 * catalogue does not.
 */
Result<NetworkPlan> plan_network(const NetworkRequest& request, const task::WholeNetwork& network,
                                 const task::Catalogue& catalogue, const schedule::TargetDescription& target);

/** Returns the whole network of a study: the stored one, else the catalogue's. */
Result<task::WholeNetwork> network_of_study(const Definition& study);

/**
 * Returns the position of each of the network's layers among the study's tasks, or nullopt for a layer that
 * was left out.
 */
std::vector<std::optional<std::size_t>> layers_of_study(const task::WholeNetwork& network,
                                                        const Definition& study);

/** The current result of one layer in a network's study: the best of its runs, confirmed ones first. */
struct NetworkLayerOutcome {
  std::string task;
  std::string text;  ///< the task written out; empty before its first session
  std::int64_t multiplicity = 1;
  double flops = 0;
  std::optional<store::SessionId>
      session;              ///< the session that has the kernel; without a kernel the newest session
  std::int64_t trial = -1;  ///< -1: there is no kernel
  double seconds = 0;       ///< time of a call
  bool confirmed = false;   ///< measured again at the end of its session, at the machine's usual speed
  analysis::BestKind kind = analysis::BestKind::None;  ///< how the time is known
  std::string mark{};            ///< best_mark() of the result: "confirmed", "unconfirmed", ...
  std::string limit_withheld{};  ///< why the kernel is not compared with the machine's limit; empty: it is
  std::string vendor_name;
  std::string vendor_algorithm{};
  double vendor_seconds = 0;   ///< 0: there is none that may be compared, see compare_best()
  std::int64_t trials = 0;     ///< trials of all runs
  double session_seconds = 0;  ///< session time of all runs
  std::string missing;         ///< why there is no kernel; empty: there is one

  /** Returns the speed as a share of the vendor library's, or nullopt if that was not measured. */
  std::optional<double> share_of_vendor() const;
  /** Returns the library with which the kernel was compared; it has no name if there was no comparison. */
  trial::ComparedVendor compared_with() const;
};

/** The current result of a network's study. */
struct NetworkOutcome {
  std::string network;
  std::vector<NetworkLayerOutcome> layers;
  double seconds = 0;        ///< time of all layers that have a kernel, each times its number of calls
  std::int64_t missing = 0;  ///< layers without a kernel, which are not in the sum
  /** Sums over the layers for which both were measured. */
  double vendor_seconds = 0;
  double seconds_beside_vendor = 0;
  std::string vendor_title{};   ///< common_vendor_title() of these layers
  std::string vendor_notice{};  ///< vendor_difference_text(); empty: all layers have the same library
  double tuning_seconds = 0;    ///< session time of all runs
  /** The latest measurement of all calls in their order; nullopt: it was not measured. */
  std::optional<MeasuredPass> pass = {};
  /** The latest latency of the whole model; nullopt: it was not measured, or the network is no model's. */
  std::optional<ModelLatency> latency = {};
  LatencySeries latencies = {};  ///< of the whole model, measured while the layers were tuned
  std::int64_t calls = 0;        ///< calls of all layers of the network, with and without a kernel
  std::vector<task::OtherOperators> others =
      {};  ///< the other operators of the network, which no number here includes
};

/** Reads the result of a network's study. Returns InvalidArgument if the study has another purpose. */
Result<NetworkOutcome> network_outcome(const store::Store& store, store::StudyId id);

/**
 * Finds the network study that a user names: by number or name, or the newest of a network, which may be
 * named by its model's file. Returns InvalidArgument if the study has another purpose.
 */
Result<store::StudyId> find_network_study(const store::Store& store, const std::string& name);

}  // namespace kernelscape::study
