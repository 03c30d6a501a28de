#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/network/open_network.h"
#include "core/study/network_run.h"
#include "ui/models/network_layers.h"
#include "ui/workspace/devices.h"

namespace kernelscape {

/** What the form of networks is filled with: names and numbers, unchecked. */
struct NetworkSetup {
  std::string network;                     ///< of the catalogue, or a file
  std::vector<ModelDimension> dimensions;  ///< that are given
  NetworkRequest request;                  ///< its network and its seed are not looked at
  std::optional<std::uint64_t> seed;       ///< none: drawn at the start
};

/** What makes the same run of a command line. */
std::string network_command_line(const NetworkSetup& setup);

/** A length that a model leaves open. */
struct OpenDimension {
  std::string name;   ///< as ModelDimension takes it
  std::string input;  ///< the first that has it

  bool operator==(const OpenDimension&) const = default;
};

/** Which lengths a model leaves open, by the error that open_network() gave; empty: it is another error. */
std::vector<OpenDimension> open_dimensions(const Error& error);

/** A network that was read, or why it can't be. */
struct NetworkReading {
  std::shared_ptr<const WholeNetwork> network;  ///< null: see `error`
  Error error;
};

/** Reads the network that a form names; of a model in a worker process. For background jobs. */
NetworkReading read_network(const std::string& network, const std::vector<ModelDimension>& dimensions,
                            const Interruption& interruption);

/** What the form's choices lead to, once its network was read. */
struct NetworkCheck {
  std::optional<TargetDescription> target;
  std::vector<std::string> templates;   ///< that fit one layer or more
  std::vector<NetworkLayerRow> layers;  ///< empty: the target is not known
  std::optional<Error> target_error;
  std::optional<Error> template_error;
  std::optional<Error> other_error;      ///< of measuring, budget or tuner
  std::optional<StudyDefinition> study;  ///< what would be run; none: something is wrong

  /** The first thing that keeps it from starting; null: nothing. */
  const Error* problem() const;
};

/** Looks everything up. Compiles a trivial kernel the first time: for background jobs. */
NetworkCheck check_network(const NetworkSetup& setup, const WholeNetwork& network,
                           const DeviceSurvey* devices);

/** What its user should know of a budget, though nothing is wrong: it is too small for all layers; empty: it
 * is not. */
QString budget_warning(const NetworkSetup& setup, std::int64_t layers);

}  // namespace kernelscape
