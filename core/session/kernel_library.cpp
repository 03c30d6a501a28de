#include "core/session/kernel_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/schedule/target.h"
#include "core/session/best.h"
#include "core/task/title.h"
#include "core/trial/baselines.h"
#include "core/trial/budget.h"

namespace kernelscape::session {
namespace {

/** The best kernel of a session, as far as it is known without its trials. */
struct Offer {
  store::SessionSummary session;
  task::Task task;
  analysis::BestResult best{};

  bool here() const { return store::measured_here(session.record); }
  /** Only this program's confirmations make a kernel one: a file can claim any. */
  bool confirmed() const { return here() && best.confirmed(); }
  auto rank() const {
    const analysis::BestKind kind =
        here() ? analysis::compared_kind(best.kind) : analysis::BestKind::Measured;
    return std::tuple(!here(), kind, best.value.seconds);
  }
};

/** Of a task and a target: what was measured here, and what was not. */
struct BestOffers {
  std::vector<Offer> here;
  std::vector<Offer> elsewhere;

  void add(Offer offer) { (offer.here() ? here : elsewhere).push_back(std::move(offer)); }
};

/** Of a session that has a best trial. */
Result<Offer> make_offer(const store::Store& store, const store::SessionSummary& session) {
  Offer offer;
  offer.task = TRY(task::task_from_json(session.record.task_json));
  offer.best = TRY(exchange::read_best(store, session));
  offer.session = session;
  return offer;
}

Status add_vendor(const store::Store& store, const Offer& offer, LibraryKernel& kernel) {
  const Result<trial::Baselines> baselines = trial::baselines_from_json(offer.session.status.vendor_json);
  if (!baselines || !baselines->vendor.available()) return {};
  kernel.vendor_name = baselines->vendor.name;
  kernel.vendor_algorithm = baselines->vendor.algorithm;
  const std::vector<trial::Confirmation> confirmations =
      TRY(store.confirmations().of(offer.session.record.id));
  analysis::BestResult best = offer.best;
  best.value = kernel.value;
  const QuotedShare vendor = compare_best(best, confirmations, *baselines, offer.task, {}).vendor;
  if (vendor.share > 0) kernel.share_of_vendor = vendor.share;
  kernel.vendor_withheld = vendor.withheld;
  return {};
}

/** Reads the one trial, and the session with its space. */
Result<LibraryKernel> make_kernel(const store::Store& store, const Offer& offer) {
  const store::SessionSummary session = TRY(store.sessions().get(offer.session.record.id));
  const trial::Trial trial = TRY(store.trials().get(offer.session.record.id, offer.best.trial));
  if (!trial.measurement.valid())
    return fail(ErrorCode::Corrupt, fmt::format("its best trial {} has failed", trial.number));
  const store::SessionRecord& record = session.record;
  const space::SearchSpace space = TRY(space::space_from_json(record.space_json));
  std::ignore = TRY(trial::budget_plan_from_json(record.budget_json));
  LibraryKernel kernel;
  kernel.task = offer.task;
  kernel.title = task::task_title(offer.task);
  kernel.target_name = record.target_name;
  kernel.target_json = record.target_json;
  if (const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
      target)
    kernel.device = target->device;
  kernel.session = record.id;
  kernel.session_name = record.name;
  kernel.trial = offer.best.trial;
  kernel.tuner = record.tuner;
  kernel.seed = record.seed;
  kernel.created_utc = record.created_utc;
  kernel.template_name = record.template_name;
  kernel.template_version = record.template_version;
  kernel.project_hash = record.project_hash;
  if (!exchange::fits_knobs(space, trial.configuration))
    return fail(ErrorCode::Corrupt,
                fmt::format("the configuration of trial {} is not in its space", trial.number));
  kernel.configuration_text = space.describe(trial.configuration);
  kernel.confirmed = offer.confirmed();
  kernel.mark = exchange::result_mark(record, offer.best);
  kernel.value = offer.best.confirmed_utc.empty()
                     ? analysis::corrected(analysis::trial_value(trial.measurement), offer.best.correction)
                     : offer.best.value;
  kernel.origin = store::origin_text(record);
  kernel.disturbances = trial::disturbances(TRY(store.notices().of(record.id)));
  TRY(add_vendor(store, offer, kernel));
  return kernel;
}

/** Returns the best readable one; unreadable ones before it are recorded. */
std::optional<LibraryKernel> first_readable(const store::Store& store, std::vector<Offer>& offers,
                                            LibraryKernels& library) {
  std::ranges::stable_sort(offers, {}, &Offer::rank);
  for (const Offer& offer : offers) {
    Result<LibraryKernel> kernel = make_kernel(store, offer);
    if (kernel) return std::move(*kernel);
    const store::SessionRecord& record = offer.session.record;
    library.unreadable.push_back({record.id, record.name, kernel.error().message});
  }
  return std::nullopt;
}

/** What was measured here, with the better one that others claim beside it; else what others say. */
void take_best(const store::Store& store, BestOffers& offers, LibraryKernels& library) {
  std::optional<LibraryKernel> kernel = first_readable(store, offers.here, library);
  if (kernel) {
    std::erase_if(offers.elsewhere, [&](const Offer& offer) {
      return offer.best.value.seconds <= 0 || offer.best.value.seconds >= kernel->value.seconds;
    });
  }
  std::optional<LibraryKernel> other = first_readable(store, offers.elsewhere, library);
  if (kernel && other) {
    kernel->claimed = ClaimedKernel{other->session, std::move(other->session_name),
                                    other->trial,   std::move(other->origin),
                                    other->value,   kernel->value.seconds / other->value.seconds};
  }
  if (kernel || other) library.kernels.push_back(std::move(kernel ? *kernel : *other));
}

}  // namespace

std::string left_out_text(const UnreadableSession& session) {
  if (session.session == 0) return "a session was left out: " + session.reason;
  return fmt::format("session {}{} was left out because it cannot be read: {}", session.session,
                     session.name.empty() ? std::string() : fmt::format(" ({})", session.name),
                     session.reason);
}

Result<LibraryKernels> best_kernels(const store::Store& store, const std::set<store::SessionId>& without) {
  LibraryKernels library;
  std::vector<Error> damaged;
  const std::vector<store::SessionSummary> sessions = TRY(store.sessions().list(&damaged));
  for (const Error& error : damaged) library.unreadable.push_back({0, {}, error.message});
  std::map<std::pair<std::string, std::string>, BestOffers> offers;
  for (const store::SessionSummary& session : sessions) {
    const store::SessionRecord& record = session.record;
    // A replay measured nothing: what it found is its recording's.
    if (record.kind == store::SessionKind::Replayed) continue;
    if (session.status.best_trial < 0 || without.contains(record.id)) continue;
    Result<Offer> offer = make_offer(store, session);
    if (offer)
      offers[{offer->task.text, record.target_json}].add(std::move(*offer));
    else
      library.unreadable.push_back({record.id, record.name, offer.error().message});
  }
  for (auto& [key, list] : offers) take_best(store, list, library);
  std::ranges::stable_sort(library.kernels, {}, [](const LibraryKernel& kernel) {
    return std::tuple(kernel.task.name, !kernel.measured_here(), -kernel.session);
  });
  return library;
}

}  // namespace kernelscape::session
