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

namespace kernelscape {

/** Candidates that a tuner of a study may be asked for at a time. */
inline constexpr std::int64_t most_batch = 1'000'000;
/** How batch_of_builders is written. */
inline constexpr std::string_view builders_batch = "builders";
/** Replays of a study that may run at the same time. */
inline constexpr int most_replays_at_once = 4096;
/** Layers of a network that may have a round at the same time. */
inline constexpr int most_layers_at_once = 4096;

/** What the runs of a study are for. */
enum class StudyPurpose : std::uint8_t {
  Comparison,  ///< of tuners, and of whole recorded spaces
  DataSet,     ///< samples of many tasks that a predictor is trained on: see plan_data_set()
  Network,     ///< kernels of a network's layers: see plan_network()
  Collection   ///< none: sessions that one file brought, which nobody runs; see Store::create_collection()
};

/** "comparison", "data-set", "network", "collection": as a definition has it. */
std::string_view to_string(StudyPurpose purpose);

/** A tuner with settings: what a colour stands for. */
struct StudyArm {
  /** Unique in its study; by default the tuner, its batch and the settings that differ from its defaults. */
  std::string name;
  std::string tuner;
  std::map<std::string, std::string> settings;
  /** All of its own; none: the study's. For kernels that are measured, not for recorded spaces. */
  std::optional<MeasureOptions> measuring = {};
  std::int64_t batch = 0;  ///< proposals at a time, or batch_of_builders; 0: the tuner's own
  std::optional<SearchTime> search_time = {};  ///< none: the study's
  std::int64_t warm_start = 0;                 ///< number of the session whose trials it begins with; 0: none
  /** Every task begins with the trials of the same arm and repeat on the task before (NoSE, section V-D,
   * footnote 2). */
  bool chain_tasks = false;
  bool control = false;  ///< random search in another arm's batches, added by create_study()

  bool operator==(const StudyArm&) const = default;
};

/**
 * By which rules a study's runs are made. 1: what was stored before there were others: seeds from the arms'
 * names, sessions on the clock of whole batches, settings that came later as they acted before. 2: seeds from
 * the arms' positions, the clock of waves, settings' defaults.
 */
inline constexpr int newest_study_rules = 2;
inline constexpr int first_study_rules = 1;  ///< of stored studies that say nothing of them

/** What is tuned, and on what. */
struct StudyTask {
  std::string task;  ///< as --task takes it; may be empty where the target is a recorded space
  /** "cpu", or "recorded:" with a file (absolute once it was read; any that can be imported as a recorded
   * space) or with the number or name of a recorded space of the database. */
  std::string target = "cpu";
  std::string template_name;  ///< empty: the first that fits
  std::vector<std::string> restrictions;
  bool optional = false;          ///< left out, with a notice, where the file is missing
  std::int64_t multiplicity = 1;  ///< how often a network has the layer

  /** On a recorded space: replayed, nothing is built or run. */
  bool recorded() const { return is_recorded_target(target); }
  bool operator==(const StudyTask&) const = default;
};

/**
 * Tuners x tasks x repeats. As JSON:
 *
 *   {"name": "...", "about": "...", "tuners": ["nose", "ga@8",
 *               {"tuner": "ga", "name": "...", "settings": {...}, "batch": 8, "search_time": "none",
 *                "warm_start": 3, "chain_tasks": true, "measuring": {"adaptive_batch": 50}}],
 *    "tasks": ["resnet18/C6", "recorded:../recorded/x.ksrec", {"target": "recorded:y.json", "optional":
 * true},
 *              {"task": "...", "target": "cpu", "template": "...", "restrict": ["tile_oc[1]=16"]}],
 *    "repeats": 8, "trials": 500, "minutes": 0, "target_gflops": 0, "patience": 0, "seed": 1,
 *    "search_time": "measured", "baseline": "ga", "measuring": {"threads": 0, "min_repeat_seconds": 0.02},
 *    "paired_starts": true, "controls": false, "jobs": 1, "rules": 2}
 *
 * Or an analysis of whole spaces, without any run: {"name": "...", "analyse": ["../recorded/x.ksrec"]}.
 * Files are relative to the study's own folder; "measuring" takes what MeasureOptions are stored with, a
 * tuner's own over the study's. "search_time" of a tuner stands for the study's, "warm_start" is the number
 * of a session, "batch" may be "builders". "control": true marks an arm that create_study() added. A file
 * without "rules" has the newest. Unknown keys are errors.
 *
 * A group of sessions for another purpose has one tuner: {"purpose": "data-set", ...}, whose sessions are
 * their trials alone, and {"purpose": "network", "network": "resnet-18", "tasks": [{"task": "resnet18/C6",
 * "multiplicity": 3}], ...}. Of a network "scheduler": "gradient" makes the budget one of all its layers,
 * "layers_at_once": 4 of which have a round at the same time, "first_trials": 2 are those of a layer's first
 * round, and "model": {...} is the network of a file.
 */
struct StudyDefinition {
  std::string name;
  std::string about;  ///< a paragraph: what is asked, and where it comes from
  StudyPurpose purpose = StudyPurpose::Comparison;
  std::string network;  ///< of a Network: its name
  /** Of a Network whose layers share one budget: who gets its next trials, see LayerScheduler; empty: each
   * layer has the budget for itself. */
  std::string scheduler;
  /** Of a Network whose layers share one budget: so many have a round at the same time. 1 becomes one for
   * each device where a fleet measures them, which create_study() counts. */
  int layers_at_once = 1;
  /** Of a Network of measured layers: trials of a layer's first round. Every layer has its first valid kernel
   * before any has more than such rounds, whether layers share a budget or not. 0: a first round is as any
   * other, as of studies that were stored before there was this number. */
  std::int64_t first_trials = 0;
  std::string network_json;  ///< of a Network from a file: all of it, as whole_network_to_json(); else empty
  std::vector<StudyArm> arms;
  std::vector<StudyTask> tasks;
  int repeats = 1;
  Budget budget;
  std::uint64_t seed = 1;
  SearchTime search_time;
  MeasureOptions measuring;
  std::string baseline;  ///< name of an arm; empty: the first
  int rules = newest_study_rules;
  bool paired_starts = false;  ///< all arms of a task and repeat share the seed
  bool controls = true;        ///< random search in the arms' batches is added when a comparison is created
  int jobs = 0;  ///< replays at once; 0: one where measured search time is on the clock, else one per core
  /** Recorded spaces whose errors and distribution are asked for; such a study has no arms, tasks and runs.
   */
  std::vector<std::string> analysed;

  bool operator==(const StudyDefinition&) const = default;
};

/** What is wrong with the definition by itself, before anything is looked up. */
Status check_study(const StudyDefinition& study);

/**
 * @param folder what relative files are relative to
 * @param missing_rules where the text has none: a file is new, what is stored without them is of before
 */
Result<StudyDefinition> study_from_json(std::string_view json, const std::filesystem::path& folder,
                                        int missing_rules = newest_study_rules);
/** All of the definition, as study_from_json() reads it. */
std::string study_to_json(const StudyDefinition& study);
/** Whether a file of this text holds a study, as study_to_json() and people write it. */
bool is_study_text(std::string_view text);
/** Errors name the file. */
Result<StudyDefinition> load_study(const std::filesystem::path& file);

/** A tuner as users write it on one line: "ga", "ga:population=50:elite=2", "ga@8:population=50" in batches
 * of 8, or "ga@builders" in those of the builders. */
Result<StudyArm> parse_arm(std::string_view text);

/** "ga (population=50)", "ga@8": the tuner, its batch where it is not 0, and the settings that are not its
 * defaults. */
std::string default_arm_name(const std::string& tuner, const std::map<std::string, std::string>& settings,
                             std::int64_t batch = 0);

/** "population=50, elite=2": the settings that are not the tuner's defaults. */
std::string settings_text(const std::string& tuner, const std::map<std::string, std::string>& settings);

/** The same of an arm, with what else is not as the study's others: "k=5, batch=8, adaptive_batch=50". */
std::string arm_text(const StudyDefinition& study, const StudyArm& arm);

/** "adaptive_batch=50, repeats=500" over `base`, by the names that measuring options are stored with. */
Result<MeasureOptions> parse_measuring(std::string_view text, const MeasureOptions& base);

/** The options that differ from `base`, as parse_measuring() takes them. */
std::string measuring_text(const MeasureOptions& options, const MeasureOptions& base);

/** How an arm's kernels are measured: its own options or the study's, with its search time, and the clock by
 * the study's rules. */
MeasureOptions measuring_of(const StudyDefinition& study, const StudyArm& arm);

/** Absolute, without "..": `file` as seen from `folder`. */
std::filesystem::path resolve_file(const std::filesystem::path& file, const std::filesystem::path& folder);

/** A recorded target with its file made absolute; the name of a recorded space of the database stays. */
std::string resolve_recorded_target(const std::string& target, const std::filesystem::path& folder);

/** Short names of the tasks, each once: "resnet18/C6", "gemm-rtx3090". */
std::vector<std::string> task_labels(const StudyDefinition& study);

/** The shipped studies (data/studies), by file name. */
std::vector<std::filesystem::path> shipped_studies();

/** One session of a study. */
struct PlannedRun {
  std::int64_t run = 0;
  std::size_t arm = 0;
  std::size_t task = 0;
  int repeat = 0;
  /** From the study's seed, the task's number, the repeat and, unless starts are paired, the arm's position;
   * by rules 1 its name. */
  std::uint64_t seed = 0;

  bool operator==(const PlannedRun&) const = default;
};

/** Repeats outermost, so that every tuner has been on every task early; then tasks, then arms. */
std::vector<PlannedRun> plan_runs(const StudyDefinition& study);

/** The run whose trials `run` begins with: the same arm and repeat on the task before; none: it begins new.
 */
std::optional<std::int64_t> chained_run(const StudyDefinition& study, const PlannedRun& run);

/**
 * Random search in the batches of the study's tuners, as arms at its end: once for each batch size that no
 * random search has yet, and one alone where kernels are measured, whose clock does not ask how many are
 * proposed. None in what is no comparison or asks for none.
 */
void add_controls(StudyDefinition& study);

/** What run `run` asks for, as if a user had written it. */
TuningRequest request_of(const StudyDefinition& study, const PlannedRun& run);

/** The position of the baseline among the arms. */
std::size_t baseline_arm(const StudyDefinition& study);

}  // namespace kernelscape
