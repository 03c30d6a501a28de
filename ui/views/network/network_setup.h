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

namespace kernelscape::views {

/** The names and numbers in the form of networks, unchecked. */
struct NetworkSetup {
  std::string network;                              ///< a name of the catalogue, or a file
  std::vector<measure::ModelDimension> dimensions;  ///< the dimensions that are given
  study::NetworkRequest request;                    ///< its network and its seed are ignored
  std::optional<std::uint64_t> seed;                ///< nullopt: drawn at the start
};

/** Returns the command line that runs the same study. */
std::string network_command_line(const NetworkSetup& setup);

/** A dimension that a model leaves open. */
struct OpenDimension {
  std::string name;   ///< as in ModelDimension
  std::string input;  ///< the first input that has the dimension

  bool operator==(const OpenDimension&) const = default;
};

/**
 * Returns the dimensions that a model leaves open, parsed from an error of open_network(); empty: it is
 * another error.
 */
std::vector<OpenDimension> open_dimensions(const Error& error);

/** A network that was read, or why it can't be read. */
struct NetworkReading {
  std::shared_ptr<const task::WholeNetwork> network;  ///< null: see `error`
  Error error;
};

/** Reads the network that a form names; an ONNX model is read in a worker process. For background jobs. */
NetworkReading read_network(const std::string& network,
                            const std::vector<measure::ModelDimension>& dimensions,
                            const measure::Interruption& interruption);

/** The result of checking the form, once its network was read. */
struct NetworkCheck {
  std::optional<study::ModelSource> model;  ///< the ONNX model; nullopt: the network is from another place
  std::optional<schedule::TargetDescription> target;
  std::vector<std::string> templates;           ///< templates that fit at least one layer
  std::vector<models::NetworkLayerRow> layers;  ///< empty: the target is not known
  std::optional<Error> target_error;
  std::optional<Error> template_error;
  std::optional<Error> other_error;        ///< error of the measuring options, the budget or the tuner
  std::optional<study::Definition> study;  ///< the study to run; nullopt: there is an error

  /** Returns the first error that prevents the start, or null. */
  const Error* problem() const;
};

/** Checks the set-up. Compiles a trivial kernel the first time: for background jobs. */
NetworkCheck check_network(const NetworkSetup& setup, const task::WholeNetwork& network,
                           const workspace::DeviceSurvey* devices);

/** Returns the warning that a budget is too small for all layers; empty: it is large enough. */
QString budget_warning(const NetworkSetup& setup, std::int64_t layers);

}  // namespace kernelscape::views
