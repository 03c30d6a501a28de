#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/preparation.h"

namespace kernelscape::study {

/** Maximum number of candidates that a tuner of a study proposes at a time. */
inline constexpr std::int64_t max_batch = 1'000'000;
/** The text that stands for batch_of_builders. */
inline constexpr std::string_view builders_batch = "builders";
/** Maximum number of replays of a study that may run at the same time. */
inline constexpr int max_replays_at_once = 4096;
/** Maximum number of layers of a network that may have a round at the same time. */
inline constexpr int max_layers_at_once = 4096;

/** The purpose of a study's runs. */
enum class Purpose : std::uint8_t {
  Comparison,  ///< compares tuners, or analyses whole recorded spaces
  DataSet,     ///< samples of many tasks to train a predictor on: see plan_data_set()
  Network,     ///< kernels of a network's layers: see plan_network()
  Collection   ///< no purpose: sessions imported from one file, which are never run; see
               ///< Collections::create()
};

/** Returns "comparison", "data-set", "network" or "collection", as in a definition. */
std::string_view to_string(Purpose purpose);

/** A tuner with settings, shown in one colour. */
struct Arm {
  /** Unique in its study; by default the tuner, its batch and the settings that differ from its defaults. */
  std::string name;
  std::string tuner;
  std::map<std::string, std::string> settings;
  /**
   * All measuring options of the arm; nullopt: the study's. Applies to measured kernels, not to recorded
   * spaces.
   */
  std::optional<trial::MeasureOptions> measuring = {};
  std::int64_t batch = 0;  ///< proposals at a time, or batch_of_builders; 0: the tuner's default
  /** The device limits are constraints of the arm's space, or not; nullopt: as its tuner has it by default.
   */
  std::optional<bool> respect_limits = {};
  std::optional<trial::SearchTime> search_time = {};  ///< nullopt: the study's
  std::int64_t warm_start = 0;  ///< number of the session whose trials the arm starts with; 0: none
  /**
   * Related spaces that the arm learns from, see session::read_sources(). A task leaves out its own recorded
   * space.
   */
  std::vector<std::string> learn_from = {};
  /**
   * Every task starts with the trials of the same arm and repeat on the task before (NoSE, section V-D,
   * footnote 2).
   */
  bool chain_tasks = false;
  bool control = false;  ///< random search in another arm's batches, added by create_study()

  bool operator==(const Arm&) const = default;
};

/**
 * The version of the rules by which a study's runs are made. 1: the rules of the first stored studies: seeds
 * from the arms' names, sessions on the clock of whole batches, and later settings disabled. 2: seeds from
 * the arms' positions, the clock of waves, default values of later settings. 3: device limits are constraints
 * for the tuners that have it so by default; before, for no tuner.
 */
inline constexpr int newest_study_rules = 3;
inline constexpr int rules_without_limits = 2;  ///< the last rules by which no tuner enforces limits itself
inline constexpr int first_study_rules = 1;     ///< rules of stored studies that do not name a version

/** A task of a study and its target. */
struct Task {
  std::string task;  ///< in the form of --task; may be empty if the target is a recorded space
  /**
   * "cpu", or "recorded:" with a file (absolute once it was read; any that can be imported as a recorded
   * space) or with the number or name of a recorded space of the database.
   */
  std::string target = "cpu";
  std::string template_name;  ///< empty: the first that supports the task
  std::vector<std::string> restrictions;
  bool optional = false;          ///< left out, with a notice, if the file is missing
  std::int64_t multiplicity = 1;  ///< number of calls of the layer in a network

  /** true for a recorded space, which is replayed: nothing is built or run */
  bool recorded() const { return session::is_recorded_target(target); }
  bool operator==(const Task&) const = default;
};

/** The time of a network that its scheduler reduces. */
enum class NetworkObjective : std::uint8_t {
  Layers,  ///< the sum of the layers, measured one by one
  Latency  ///< the latency of the whole model, measured after rounds
};

/** Returns "layers" or "latency". */
std::string_view to_string(NetworkObjective objective);
/** Parses a name that to_string() returns. InvalidArgument lists the known names. */
Result<NetworkObjective> parse_network_objective(std::string_view text);
/** Returns the names of all objectives. */
std::vector<std::string> network_objective_names();

/** The file of an ONNX model from which a network was read. */
struct ModelSource {
  std::string file;  ///< absolute path
  /** Lengths that the user gave to open dimensions, by name: {"batch", 1}, {"data[0]", 1}. */
  std::map<std::string, std::int64_t> dimensions = {};

  bool operator==(const ModelSource&) const = default;
};

/**
 * Tuners x tasks x repeats. As JSON:
 *   {"name": "...", "about": "...", "tuners": ["nose", "ga@8",
 *               {"tuner": "ga", "name": "...", "settings": {...}, "batch": 8, "search_time": "none",
 * "respect_limits": true, "warm_start": 3, "chain_tasks": true, "learn_from":
 * ["recorded:../recorded/y.ksrec", "4"], "measuring": {"adaptive_batch": 50}}], "tasks": ["resnet18/C6",
 * "recorded:../recorded/x.ksrec", {"target": "recorded:y.json", "optional": true},
 *              {"task": "...", "target": "cpu", "template": "...", "restrict": ["tile_oc[1]=16"]}],
 *    "repeats": 8, "trials": 500, "minutes": 0, "target_gflops": 0, "patience": 0, "seed": 1,
 *    "search_time": "measured", "baseline": "ga", "measuring": {"threads": 0, "min_repeat_seconds": 0.02},
 *    "paired_starts": true, "controls": false, "jobs": 1, "rules": 3}
 * Or an analysis of whole spaces, without any run: {"name": "...", "analyse": ["../recorded/x.ksrec"]}. Files
 * are relative to the study's own folder. "measuring" takes the stored form of MeasureOptions, and a tuner's
 * own options override the study's. "search_time" of a tuner overrides the study's, "warm_start" is the
 * number of a session, "learn_from" lists recorded spaces, sessions and collections, "batch" may be
 * "builders". "control": true marks an arm that create_study() added. A
 * file without "rules" has the newest. Unknown keys are errors.
 *
 * A group of sessions for another purpose has one tuner: {"purpose": "data-set", ...}, whose only results are
 * the trials of its sessions, and {"purpose": "network", "network": "resnet-18", "tasks": [{"task":
 * "resnet18/C6", "multiplicity": 3}], ...}. In a network, "scheduler": "gradient" makes all layers share the
 * budget, "objective": "latency" makes it reduce the latency of the whole model, "layers_at_once": 4 is how
 * many of them have a round at the same time, "first_trials": 2 is the number of trials in a layer's first
 * round, "model": {...} is the network of a file, and "model_file": {"path": "/home/me/net.onnx",
 * "dimensions": {"batch": 1}} is the ONNX model that it was read from.
 */
struct Definition {
  std::string name;
  std::string about;  ///< a paragraph: the question of the study, and its origin
  Purpose purpose = Purpose::Comparison;
  std::string network;  ///< name of the network, for a Network
  /**
   * For a Network whose layers share one budget: chooses the layer of the next trials, see LayerScheduler;
   * empty: each layer has its own budget.
   */
  std::string scheduler;
  /** For a Network of a model's file with the scheduler `gradient`: what a layer's gain is measured by. */
  NetworkObjective objective = NetworkObjective::Layers;
  /**
   * For a Network whose layers share one budget: the number of layers that have a round at the same time. If
   * a fleet measures the layers, 1 becomes one for each device, which create_study() counts.
   */
  int layers_at_once = 1;
  /**
   * For a Network of measured layers: trials of a layer's first round. Every layer has its first valid kernel
   * before any has more than such rounds, whether layers share a budget or not. 0: first rounds are as long
   * as any other, as in studies that were stored before this number existed.
   */
  std::int64_t first_trials = 0;
  /** The whole network of a file, as whole_network_to_json(), for a Network; else empty. */
  std::string network_json;
  /** The model that the network was read from, for a Network; nullopt: none, or it is not known. */
  std::optional<ModelSource> model_source;
  std::vector<Arm> arms;
  std::vector<Task> tasks;
  int repeats = 1;
  trial::Budget budget;
  std::uint64_t seed = 1;
  trial::SearchTime search_time;
  trial::MeasureOptions measuring;
  std::string baseline;  ///< name of an arm; empty: the first
  int rules = newest_study_rules;
  bool paired_starts = false;  ///< all arms of a task and repeat share the seed
  bool controls = true;        ///< adds random search in the arms' batches when a comparison is created
  /** Replays at the same time; 0: one if the clock includes measured search time, else one per core. */
  int jobs = 0;
  /** Recorded spaces whose errors and distribution are analysed; such a study has no arms, tasks and runs. */
  std::vector<std::string> analysed;

  bool operator==(const Definition&) const = default;
};

/** Checks the definition by itself, before anything is looked up. */
Status check_study(const Definition& study);

/**
 * Parses a definition.
 * @param folder the folder that relative files refer to
 * @param missing_rules the rules if the text has none: a new file has the newest, a stored study the first
 */
Result<Definition> study_from_json(std::string_view json, const std::filesystem::path& folder,
                                   int missing_rules = newest_study_rules);
/** Returns the whole definition in the form that study_from_json() reads. */
std::string study_to_json(const Definition& study);
/** Returns true if a file with this text contains a study, as written by study_to_json() or by a user. */
bool is_study_text(std::string_view text);
/** Loads a definition from a file. Errors name the file. */
Result<Definition> load_study(const std::filesystem::path& file);

/**
 * Parses a tuner as users write it on one line: "ga", "ga:population=50:elite=2", "ga@8:population=50" in
 * batches of 8, or "ga@builders" in those of the builders.
 */
Result<Arm> parse_arm(std::string_view text);

/**
 * Returns the tuner, its batch unless it is 0, and the settings that differ from its defaults: "ga
 * (population=50)", "ga@8".
 */
std::string default_arm_name(const std::string& tuner, const std::map<std::string, std::string>& settings,
                             std::int64_t batch = 0);

/** Returns the settings that differ from the tuner's defaults: "population=50, elite=2". */
std::string settings_text(const std::string& tuner, const std::map<std::string, std::string>& settings);

/**
 * Returns the settings of an arm that differ from the tuner's defaults, and its options that differ from the
 * study's: "k=5, batch=8, adaptive_batch=50".
 */
std::string arm_text(const Definition& study, const Arm& arm);

/** Parses "adaptive_batch=50, repeats=500" over `base`, with the stored names of measuring options. */
Result<trial::MeasureOptions> parse_measuring(std::string_view text, const trial::MeasureOptions& base);

/** Returns the options that differ from `base`, in the form of parse_measuring(). */
std::string measuring_text(const trial::MeasureOptions& options, const trial::MeasureOptions& base);

/**
 * Returns how an arm's kernels are measured: its own options or the study's, with its search time, and the
 * clock by the study's rules.
 */
trial::MeasureOptions measuring_of(const Definition& study, const Arm& arm);

/** Returns `file` relative to `folder` as an absolute path without "..". */
std::filesystem::path resolve_file(const std::filesystem::path& file, const std::filesystem::path& folder);

/**
 * Makes the file of a recorded target absolute. The name of a recorded space of the database remains
 * unchanged.
 */
std::string resolve_recorded_target(const std::string& target, const std::filesystem::path& folder);

/** Returns short names of the tasks, each once: "resnet18/C6", "gemm-rtx3090". */
std::vector<std::string> task_labels(const Definition& study);

/** Returns the built-in studies (data/studies), by file name. */
std::vector<std::filesystem::path> bundled_studies();
/** Returns the built-in recordings of spaces (data/recorded), by file name. */
std::vector<std::filesystem::path> bundled_recordings();

/** One session of a study. */
struct PlannedRun {
  std::int64_t run = 0;
  std::size_t arm = 0;
  std::size_t task = 0;
  int repeat = 0;
  /**
   * Derived from the study's seed, the task's number, the repeat and, unless starts are paired, the arm's
   * position; by rules 1 the arm's name.
   */
  std::uint64_t seed = 0;

  bool operator==(const PlannedRun&) const = default;
};

/**
 * Returns all runs: repeats outermost, so that every tuner has been on every task early; then tasks, then
 * arms.
 */
std::vector<PlannedRun> plan_runs(const Definition& study);

/**
 * Returns the run whose trials `run` starts with: the same arm and repeat on the task before. Returns nullopt
 * if it starts without earlier trials.
 */
std::optional<std::int64_t> chained_run(const Definition& study, const PlannedRun& run);

/**
 * Adds random search in the batches of the study's tuners as arms at its end: once for each batch size that
 * no random search has yet, and only one if kernels are measured, whose clock does not depend on the batch.
 * Adds none to a study that is not a comparison, or that disables controls.
 */
void add_controls(Definition& study);

/** Returns the tuning request of a run, in the form that a user would write. */
session::TuningRequest request_of(const Definition& study, const PlannedRun& run);

/** Returns the position of the baseline among the arms. */
std::size_t baseline_arm(const Definition& study);

}  // namespace kernelscape::study
