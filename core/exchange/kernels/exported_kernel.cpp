#include "core/exchange/kernels/exported_kernel.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/analysis/order_statistics.h"
#include "core/base/media/c_source.h"
#include "core/base/numbers.h"
#include "core/exchange/stored_best.h"
#include "core/kernel/arguments.h"
#include "core/kernel/family.h"
#include "core/schedule/template.h"
#include "core/space/knob_json.h"
#include "core/trial/baselines.h"

namespace kernelscape::exchange {
namespace {

std::string trial_of(const MeasuredConfiguration& measured) {
  return fmt::format("trial {} of session {}", measured.provenance.trial, measured.provenance.session);
}

std::unexpected<Error> not_exported(const MeasuredConfiguration& measured, std::string_view reason,
                                    std::string hint) {
  return fail(ErrorCode::Refused,
              fmt::format("the kernel of {} cannot be exported: {}", trial_of(measured), reason),
              std::move(hint));
}

Status check_exportable(const MeasuredConfiguration& measured) {
  if (!measured.task.op) {
    return not_exported(measured, fmt::format("{} is a task known only from its log", measured.task.name),
                        "export it with --format configuration or csv");
  }
  if (measured.category != trial::ErrorCategory::NoError) {
    return not_exported(measured,
                        fmt::format("it is not a valid kernel ({})", trial::to_string(measured.category)),
                        "choose a trial without an error");
  }
  return {};
}

/** The kernels of a template, and the measured kernel. */
struct ChosenKernel {
  schedule::ScheduledKernel kernel;
  space::Configuration configuration;
};

/**
 * Returns the template if it is unchanged since the session; its knobs may have had fewer values in the
 * session.
 */
Result<ChosenKernel> same_template(const MeasuredConfiguration& measured) {
  const std::string hint =
      "tune the task again with this version of the program, or export it with --format configuration";
  Result<schedule::ScheduledKernel> kernel =
      schedule::apply_template(measured.task, measured.target, measured.template_name);
  if (!kernel) return not_exported(measured, describe(kernel.error()), hint);
  if (kernel->template_version() != measured.template_version) {
    return not_exported(
        measured,
        fmt::format("template {} had version {} when it was measured, it has version {} now",
                    measured.template_name, measured.template_version, kernel->template_version()),
        hint);
  }
  const Result<space::Configuration> configuration =
      kernel->space().configuration_from_json(measured.space.configuration_to_json(measured.configuration));
  if (!configuration || !kernel->space().contains(*configuration)) {
    return not_exported(
        measured,
        fmt::format("template {} has other knobs than when it was measured", measured.template_name), hint);
  }
  // A CPU kernel that ran is valid even if it exceeds its template's limits.
  const bool on_cpu = kernel->target().kind == schedule::TargetKind::Cpu;
  return ChosenKernel{on_cpu ? kernel->without_limits() : std::move(*kernel), *configuration};
}

/** Returns "AMD EPYC, avx512", or only the architecture if the device is unknown. */
std::string described_device(const schedule::TargetDescription& target) {
  return target.architecture_only ? target.isa : target.device + ", " + target.instructions();
}

base::CSourceText result_comment(const MeasuredConfiguration& measured) {
  const std::string where = measured.target.kind == schedule::TargetKind::Cpu
                                ? fmt::format("{}, {} threads", measured.target.device, measured.threads())
                                : described_device(measured.target);
  base::CSourceText text = base::write<base::CSource>(
      "/* {}; {}. */\n", base::CSource::comment(result_text(measured)), base::CSource::comment(where));
  if (const std::string& from = measured.provenance.origin; !from.empty())
    text += base::write<base::CSource>("/* Its numbers: {}. */\n", base::CSource::comment(from));
  for (const std::string& disturbance : measured.disturbances)
    text +=
        base::write<base::CSource>("/* While it was tuned: {}. */\n", base::CSource::comment(disturbance));
  return text;
}

/** Generates the kernel as it was measured, except for its name. */
Result<codegen::KernelSource> emit_named(const MeasuredConfiguration& measured, const ChosenKernel& chosen,
                                         const std::string& name, const codegen::KnownFlags& flags) {
  const schedule::LoweredKernel lowered = TRY(chosen.kernel.lower(chosen.configuration));
  codegen::KernelDescription description;
  description.entry = name;
  description.task = measured.task.text;
  description.template_name =
      fmt::format("{}, version {}", measured.template_name, measured.template_version);
  description.configuration = measured.space.describe(measured.configuration);
  description.target = described_device(measured.target);
  description.flags = flags;
  codegen::KernelSource source = kernel::emit_kernel(measured.target.kind, lowered.nest, description);
  source.text = result_comment(measured).text() + source.text;
  return source;
}

/** Returns the vendor's result of a session, with samples only if they belong to the given confirmation. */
trial::VendorResult vendor_of_moment(const std::string& vendor_json,
                                     const std::vector<trial::Confirmation>& confirmations,
                                     const std::string& measured_utc) {
  trial::VendorResult vendor;
  const Result<trial::Baselines> baselines = trial::baselines_from_json(vendor_json);
  if (baselines)
    vendor = baselines->vendor;
  else
    vendor.reason = baselines.error().message;
  const bool in_turns = std::ranges::any_of(confirmations, [&](const trial::Confirmation& confirmation) {
    return confirmation.trial == -1 && confirmation.measured_utc == measured_utc &&
           confirmation.samples_seconds == vendor.samples_seconds;
  });
  if (!in_turns) vendor.samples_seconds.clear();
  return vendor;
}

/** Reads the result of the trial, the samples of its confirmation, and of the vendor's at the same time. */
Status read_confirmation(const store::Store& store, const store::SessionSummary& session,
                         MeasuredConfiguration& measured) {
  const std::int64_t trial = measured.provenance.trial;
  measured.result = TRY(read_result(store, session, trial));
  measured.confirmed_utc = measured.result.confirmed_utc;
  const std::vector<trial::Confirmation> confirmations = TRY(store.confirmations().of(session.record.id));
  for (const trial::Confirmation& confirmation : confirmations) {
    if (confirmation.trial == trial && confirmation.measured_utc == measured.confirmed_utc &&
        !confirmation.samples_seconds.empty())
      measured.confirmed_seconds = confirmation.samples_seconds;
  }
  measured.vendor = vendor_of_moment(session.status.vendor_json, confirmations, measured.confirmed_utc);
  return {};
}

std::string times_text(double flops, const analysis::Quartiles& seconds, std::string_view state) {
  const std::string time = fmt::format("{:.4g} us", seconds.median * 1e6);
  if (flops <= 0) return fmt::format("{}, {}", time, state);
  return fmt::format("{}, {}, {}", base::speed_text(flops, seconds.first, seconds.median, seconds.third),
                     time, state);
}

base::ShellText setting_words(const std::string& settings_json) {
  const space::Json settings = space::parse_json(settings_json);
  base::ShellText words;
  if (!settings.is_object()) return words;
  for (const auto& [name, value] : settings.items())
    words += base::write<base::ShellScript>(
        " --set {}", name + "=" + (value.is_string() ? value.get<std::string>() : space::to_text(value)));
  return words;
}

}  // namespace

bool fits_knobs(const space::SearchSpace& space, const space::Configuration& configuration) {
  return std::ranges::equal(
      configuration.indices, space.knobs(),
      [](std::uint32_t index, const space::Knob& knob) { return index < knob.count(); });
}

int MeasuredConfiguration::threads() const { return options.kernel_threads(schedule::host_cores(target)); }

const std::vector<double>& MeasuredConfiguration::best_known_seconds() const {
  return confirmed_seconds.empty() ? samples_seconds : confirmed_seconds;
}

int max_threads(const std::vector<ExportedKernel>& kernels) {
  int threads = 1;
  for (const ExportedKernel& kernel : kernels) threads = std::max(threads, kernel.measured.threads());
  return threads;
}

Result<MeasuredConfiguration> read_measured_configuration(const store::Store& store, store::SessionId session,
                                                          std::int64_t number) {
  const store::SessionSummary summary = TRY(store.sessions().get(session));
  const store::SessionRecord& record = summary.record;
  space::SearchSpace space = TRY(space::space_from_json(record.space_json));
  task::Task task = TRY(task::task_from_json(record.task_json));
  schedule::TargetDescription target = TRY(schedule::target_from_json(record.target_json));
  const trial::MeasureOptions options = TRY(trial::stored_measure_options(record.options_json));
  trial::Trial trial = TRY(store.trials().get(session, number));

  MeasuredConfiguration measured{.space = std::move(space)};
  if (!fits_knobs(measured.space, trial.configuration)) {
    return fail(ErrorCode::Corrupt,
                fmt::format("trial {} of session {} has a damaged configuration", number, session),
                "choose another trial");
  }
  measured.configuration = std::move(trial.configuration);
  measured.task = std::move(task);
  measured.target = std::move(target);
  measured.template_name = record.template_name;
  measured.template_version = record.template_version;
  measured.options = options;
  measured.category = trial.measurement.category;
  measured.message = std::move(trial.measurement.message);
  measured.samples_seconds = std::move(trial.measurement.samples_seconds);
  measured.provenance = {.session = session,
                         .session_name = record.name,
                         .trial = number,
                         .tuner = record.tuner,
                         .settings_json = record.settings_json,
                         .seed = record.seed,
                         .trial_count = summary.status.trial_count,
                         .created_utc = record.created_utc,
                         .program_version = record.program_version,
                         .origin = store::origin_text(record)};
  measured.disturbances = trial::disturbances(TRY(store.notices().of(session)));
  TRY(read_confirmation(store, summary, measured));
  return measured;
}

Result<ExportedKernel> make_exported_kernel(MeasuredConfiguration measured, std::string name) {
  TRY(check_exportable(measured));
  const ChosenKernel chosen = TRY(same_template(measured));
  if (name.empty()) name = kernel_name(measured.task.name);
  codegen::SortedFlags flags =
      codegen::flags_to_build_with(kernel::dialect_of(measured.target.kind), measured.target.flags);
  Result<codegen::KernelSource> source = emit_named(measured, chosen, name, flags.known);
  if (!source) return not_exported(measured, describe(source.error()), "choose another trial");
  TRY(kernel::check_arguments(*measured.task.op, source->arguments));
  return ExportedKernel{std::move(name), std::move(measured), std::move(*source), std::move(flags.unused)};
}

std::vector<std::string> export_notices(const ExportedKernel& kernel) {
  std::vector<std::string> notices;
  if (!kernel.unused_flags.empty()) {
    notices.push_back(fmt::format(
        "{} is built without {} flag{} of its session that this program does not use (README.md lists them): "
        "its speed may differ from the measured one",
        kernel.name, kernel.unused_flags.size(), kernel.unused_flags.size() == 1 ? "" : "s"));
  }
  return notices;
}

std::string kernel_name(std::string_view text) {
  constexpr std::size_t max_letters = 100;  // file names consist of the name and an extension
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::string name;
  for (const char c : text) {
    if (name.size() == max_letters) break;
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter || (!name.empty() && name.back() != '_')) name += letter ? c : '_';
  }
  while (name.ends_with('_')) name.pop_back();
  const bool starts_well = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  if (!starts_well) name = "kernel_" + name;
  // Names in C and its libraries consist of single words, or look like posix_memalign, int32_t and M_PI_2,
  // and hardly ever like resnet18_C6; in exceptions such as epoll_create1, an exported library of that name
  // would replace the function.
  const std::size_t last_word = name.rfind('_') + 1;
  // The programs of a library have names with these prefixes.
  const bool ours =
      last_word > 0 && !name.starts_with("check_") && !name.starts_with("pass_") &&
      !name.starts_with("team_") && std::islower(static_cast<unsigned char>(name.front())) != 0 &&
      std::ranges::any_of(name.substr(last_word), is_digit) && dlsym(RTLD_DEFAULT, name.c_str()) == nullptr;
  return ours ? name : name + (name.ends_with('_') ? "kernel" : "_kernel");
}

std::vector<std::string> kernel_names(std::span<const std::string> texts) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string& text : texts) {
    const std::string name = kernel_name(text);
    std::string numbered = name;
    for (int number = 2; !taken.insert(numbered).second; ++number)
      numbered = fmt::format("{}_{}", name, number);
    names.push_back(std::move(numbered));
  }
  return names;
}

base::ShellText reproduce_command(const MeasuredConfiguration& measured) {
  const Provenance& from = measured.provenance;
  base::ShellText command = base::write<base::ShellScript>(
      "kernelscape tune {} --target {} --template {} --tuner {} --trials {} --seed {}", measured.task.text,
      measured.target.name, measured.template_name, from.tuner, from.trial_count, from.seed);
  if (measured.target.kind == schedule::TargetKind::Cpu)
    command += base::write<base::ShellScript>(" --threads {}", measured.threads());
  if (measured.target.architecture_only)
    command += base::write<base::ShellScript>(" --arch {}", measured.target.isa);
  if (measured.options.build_only) command += " --build-only";
  return command + setting_words(from.settings_json);
}

std::string result_text(const MeasuredConfiguration& measured) {
  const analysis::Quartiles samples = analysis::quartiles(measured.best_known_seconds());
  if (samples.count == 0) return "not measured";
  const analysis::Quartiles seconds =
      analysis::corrected(analysis::median_value(samples), measured.result.correction).samples;
  return times_text(
      measured.task.flops(), seconds,
      measured.provenance.origin.empty() ? analysis::best_mark(measured.result) : "not measured here");
}

std::string result_text(const ExportedKernel& kernel) {
  const MeasuredConfiguration& measured = kernel.measured;
  if (!kernel.is_vendors()) return result_text(measured);
  return fmt::format(
      "{}, {}", trial::vendor_title(measured.vendor),
      times_text(measured.task.flops(), analysis::quartiles(measured.vendor.samples_seconds), "confirmed"));
}

}  // namespace kernelscape::exchange
