#include "core/session/predictor_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/session/preparation.h"

namespace kernelscape::session {
namespace {

constexpr std::size_t predictor_hash_digits = 12;

bool is_predictor_hash(std::string_view text) {
  return text.size() == predictor_hash_digits && std::ranges::all_of(text, [](unsigned char digit) {
           return std::isdigit(digit) != 0 || (digit >= 'a' && digit <= 'f');
         });
}

/** The hash at the end of a predictor_text(), or all of the text; else empty. */
std::string_view hash_in(std::string_view wanted) {
  const std::string_view last = wanted.substr(wanted.rfind(' ') + 1);
  return is_predictor_hash(last) ? last : std::string_view();
}

std::string way_to_make_one(std::string_view template_name) {
  return fmt::format(
      "`kernelscape dataset` measures tasks of {} here, `kernelscape train` learns from them; or choose "
      "another tuner",
      template_name);
}

Result<std::shared_ptr<const predictor::Predictor>> stored_predictor(const store::Store& store,
                                                                     store::PredictorId id) {
  const std::string bytes = TRY(store.predictors().bytes(id));
  return predictor::Predictor::from_bytes(
      bytes, fmt::format("predictor {} of the database {}", id, store.path().string()));
}

/** Returns the readable predictors: an unreadable one does not hide the others. */
std::vector<std::shared_ptr<const predictor::Predictor>> bundled() {
  std::vector<std::shared_ptr<const predictor::Predictor>> predictors;
  for (const std::filesystem::path& path : predictor::bundled_predictors())
    if (Result<std::shared_ptr<const predictor::Predictor>> predictor = predictor::Predictor::open(path))
      predictors.push_back(*std::move(predictor));
  return predictors;
}

Result<std::shared_ptr<const predictor::Predictor>> predictor_by_hash(const store::Store& store,
                                                                      std::string_view hash,
                                                                      std::string_view wanted) {
  if (const auto id = TRY(store.predictors().with_hash(hash))) return stored_predictor(store, *id);
  for (const std::shared_ptr<const predictor::Predictor>& predictor : bundled())
    if (predictor->hash() == hash) return predictor;
  return fail(ErrorCode::NotFound,
              fmt::format("the predictor {} is neither in the database {} nor built-in",
                          base::quoted_line(wanted), store.path().string()),
              "import its file, or start a new session with another predictor");
}

/** Returns the predictor of the database whose number the text is, or nullopt if there is none. */
std::optional<store::PredictorSummary> predictor_by_number(const store::Store& store,
                                                           std::string_view wanted) {
  store::PredictorId id = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), id);
  if (error != std::errc() || end != wanted.data() + wanted.size()) return std::nullopt;
  Result<store::PredictorSummary> summary = store.predictors().get(id);
  return summary ? std::optional(*std::move(summary)) : std::nullopt;
}

/** Looks for the first that fits, and remembers why the others do not. */
class FittingPredictor {
 public:
  explicit FittingPredictor(const PredictorUse& use) : use_(use) {}

  /** Returns true if a predictor was found. */
  bool offer(Result<std::shared_ptr<const predictor::Predictor>> predictor) {
    if (predictor) {
      const Status fits = (*predictor)->fits(use_.template_name, use_.template_version, use_.target);
      if (fits) {
        found_ = *std::move(predictor);
        return true;
      }
      predictor = std::unexpected(fits.error());
    }
    if (!refusal_) refusal_ = std::move(predictor).error();
    return false;
  }

  const std::shared_ptr<const predictor::Predictor>& found() const { return found_; }
  const std::optional<Error>& refusal() const { return refusal_; }  ///< of the first that was offered

 private:
  const PredictorUse& use_;
  std::shared_ptr<const predictor::Predictor> found_;
  std::optional<Error> refusal_;
};

Error not_trained(const store::PredictorSummary& summary) {
  return {ErrorCode::Refused,
          fmt::format("predictor {} ({}) is not trained yet: it is {}", summary.record.id,
                      base::quoted_line(summary.record.name), store::to_string(summary.state)),
          "wait for its training, resume it, or name another predictor"};
}

Result<std::shared_ptr<const predictor::Predictor>> newest_predictor(const store::Store& store,
                                                                     const PredictorUse& use) {
  FittingPredictor choice(use);
  const std::vector<store::PredictorSummary> summaries = TRY(store.predictors().all());
  for (const store::PredictorSummary& summary : summaries) {
    if (summary.state != store::PredictorState::Done ||
        !predictor::names_template(summary.record.template_name, use.template_name))
      continue;
    if (choice.offer(stored_predictor(store, summary.record.id))) return choice.found();
  }
  for (const std::shared_ptr<const predictor::Predictor>& predictor : bundled()) {
    const std::string templates = predictor::templates_text(predictor->description().templates());
    if (!predictor::names_template(templates, use.template_name)) continue;
    if (choice.offer(predictor)) return choice.found();
  }
  const std::string reason = choice.refusal() ? ": " + choice.refusal()->message : "";
  return fail(ErrorCode::NotFound,
              fmt::format("there is no predictor for {} on {}{}", use.template_name, use.target.isa, reason),
              way_to_make_one(use.template_name));
}

Result<std::shared_ptr<const predictor::Predictor>> named_predictor(const store::Store& store,
                                                                    std::string_view wanted,
                                                                    const PredictorUse& use) {
  FittingPredictor choice(use);
  std::vector<std::string> names;
  const std::vector<store::PredictorSummary> summaries = TRY(store.predictors().all());
  for (const store::PredictorSummary& summary : summaries) {
    names.push_back(summary.record.name);
    if (summary.record.name != wanted) continue;
    const bool done = summary.state == store::PredictorState::Done;
    if (choice.offer(done ? stored_predictor(store, summary.record.id)
                          : std::unexpected(not_trained(summary))))
      return choice.found();
  }
  for (const std::shared_ptr<const predictor::Predictor>& predictor : bundled()) {
    names.push_back(predictor->description().name);
    if (names.back() == wanted && choice.offer(predictor)) return choice.found();
  }
  if (choice.refusal()) return std::unexpected(*choice.refusal());
  return fail(ErrorCode::NotFound, fmt::format("there is no predictor {}", base::quoted_line(wanted)),
              names.empty() ? way_to_make_one(use.template_name) : base::suggest(wanted, names));
}

/** The kernels of another program's recorded space are unknown. */
Result<schedule::ScheduledKernel> recorded_kernel_of(const PreparedTuning& tuning) {
  const Setup& setup = tuning.setup;
  const auto unknown = [&](std::string_view reason) {
    return fail(ErrorCode::Refused,
                fmt::format("tuner {}: no predictor knows the kernels of this recorded space: {}",
                            setup.tuner, reason),
                "choose another tuner");
  };
  if (setup.template_name.empty()) return unknown("it comes from another program");
  Result<schedule::ScheduledKernel> kernel =
      schedule::apply_template(setup.task, setup.target, setup.template_name);
  if (!kernel) return unknown(describe(kernel.error()));
  if (kernel->template_version() != setup.template_version ||
      kernel->space().knobs() != tuning.recording->space().knobs())
    return unknown(fmt::format("the template {} has changed", setup.template_name));
  return kernel;
}

Result<schedule::ScheduledKernel> scheduled_kernel_of(const kernel::Family& family, std::string_view tuner) {
  if (family.scheduled() != nullptr) return *family.scheduled();
  return fail(ErrorCode::Refused,
              fmt::format("tuner {}: predictors know kernels of templates, not a user's own", tuner),
              "choose another tuner");
}

}  // namespace

Result<std::shared_ptr<const predictor::Predictor>> choose_predictor(const store::Store& store,
                                                                     std::string_view wanted,
                                                                     const PredictorUse& use) {
  if (wanted.empty()) return newest_predictor(store, use);
  FittingPredictor choice(use);
  if (const std::string_view hash = hash_in(wanted); !hash.empty()) {
    choice.offer(predictor_by_hash(store, hash, wanted));
  } else if (const auto numbered = predictor_by_number(store, wanted)) {
    choice.offer(numbered->state == store::PredictorState::Done ? stored_predictor(store, numbered->record.id)
                                                                : std::unexpected(not_trained(*numbered)));
  } else {
    return named_predictor(store, wanted, use);
  }
  if (choice.found()) return choice.found();
  return std::unexpected(*choice.refusal());
}

Result<Predictor> predictor_of_kernels(const store::Store& store, std::string_view wanted,
                                       const schedule::ScheduledKernel& kernel) {
  Predictor predictor;
  predictor.trained = TRY(
      choose_predictor(store, wanted, {kernel.template_name(), kernel.template_version(), kernel.target()}));
  predictor.of_kernels = TRY(predictor.trained->bind(kernel));
  predictor.within_limits = [kernel](const space::Configuration& member) {
    return kernel.within_limits(member);
  };
  return predictor;
}

Status take_predictor(const store::Store& store, PreparedTuning& tuning) {
  Setup& setup = tuning.setup;
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(setup.tuner));
  if (!tuner->uses_predictor) return {};
  const schedule::ScheduledKernel kernel =
      TRY(tuning.family ? scheduled_kernel_of(*tuning.family, tuner->name) : recorded_kernel_of(tuning));
  tuner::SettingValue& wanted = setup.settings.at(std::string(tuner::predictor_setting));
  setup.predictor = TRY(predictor_of_kernels(store, space::to_string(wanted), kernel));
  wanted = predictor::predictor_text(*setup.predictor.trained);
  return {};
}

std::string predictor_notice(const predictor::Predictor& predictor,
                             const schedule::TargetDescription& target) {
  const predictor::Description& own = predictor.description();
  if (own.device == target.device) return {};
  return fmt::format(
      "the predictor {} was trained with kernels on {}, but this is {}: its ranking may be wrong here, as "
      "the measured trials will show",
      own.name, own.device.empty() ? "an unknown device" : own.device,
      target.device.empty() ? "an unknown one" : target.device);
}

}  // namespace kernelscape::session
