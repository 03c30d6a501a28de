#include "core/session/kernel_library.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/schedule/target.h"
#include "core/session/baselines.h"
#include "core/session/confirmed_trials.h"
#include "core/session/session_report.h"

namespace kernelscape {
namespace {

/** What a session has to offer, known without its trials. */
struct Offer {
  SessionSummary session;
  Task task;
  std::int64_t trial = 0;
  Quartiles confirmed_seconds;  ///< count 0: unconfirmed
  double seconds = 0;

  bool here() const { return measured_here(session.record); }
  /** Only this program's confirmations make a kernel one: a file can claim any. */
  bool confirmed() const { return here() && confirmed_seconds.count > 0; }
  auto rank() const { return std::tuple(!here(), !confirmed(), seconds); }
};

/** The best of a task and a target that was measured here, and the fastest of what was not. */
struct BestOffers {
  std::optional<Offer> here;
  std::optional<Offer> elsewhere;

  void add(Offer offer) {
    std::optional<Offer>& known = offer.here() ? here : elsewhere;
    if (!known || offer.rank() < known->rank()) known = std::move(offer);
  }
};

void choose_confirmed(const std::vector<Confirmation>& all, Offer& offer) {
  const std::vector<ConfirmedTrial> confirmed = last_confirmed(all);
  const ConfirmedTrial* best = confirmed_best(confirmed, offer.session.status.best_trial);
  if (best == nullptr) return;
  offer.trial = best->trial;
  offer.confirmed_seconds = best->seconds;
  offer.seconds = best->seconds.median;
}

/** Nothing where the session has no valid trial, or a task that can't be read. */
Result<std::optional<Offer>> make_offer(const Store& store, SessionSummary session) {
  if (session.status.best_trial < 0) return std::nullopt;
  Result<Task> task = task_from_json(session.record.task_json);
  if (!task) return std::nullopt;
  const std::vector<Confirmation> confirmations = TRY(store.confirmations(session.record.id));
  Offer offer;
  offer.trial = session.status.best_trial;
  offer.seconds = session.status.best_seconds;
  offer.session = std::move(session);
  offer.task = std::move(*task);
  choose_confirmed(confirmations, offer);
  return offer;
}

void add_vendor(const Offer& offer, LibraryKernel& kernel) {
  const Result<Baselines> baselines = baselines_from_json(offer.session.status.vendor_json);
  if (!baselines || !baselines->vendor.available()) return;
  kernel.vendor_name = baselines->vendor.name;
  const double vendor_seconds = quartiles(baselines->vendor.samples_seconds).median;
  if (kernel.seconds.median > 0) kernel.share_of_vendor = vendor_seconds / kernel.seconds.median;
}

/** Reads the one trial, and the session with its space. */
Result<LibraryKernel> make_kernel(const Store& store, const Offer& offer) {
  const SessionSummary session = TRY(store.session(offer.session.record.id));
  const Trial trial = TRY(store.trial(offer.session.record.id, offer.trial));
  const SessionRecord& record = session.record;
  LibraryKernel kernel;
  kernel.task = offer.task;
  kernel.target_name = record.target_name;
  kernel.target_json = record.target_json;
  if (const Result<TargetDescription> target = target_from_json(record.target_json); target)
    kernel.device = target->device;
  kernel.session = record.id;
  kernel.session_name = record.name;
  kernel.trial = offer.trial;
  kernel.tuner = record.tuner;
  kernel.seed = record.seed;
  kernel.created_utc = record.created_utc;
  kernel.template_name = record.template_name;
  kernel.template_version = record.template_version;
  const Result<SearchSpace> space = space_from_json(record.space_json);
  if (space && space->knobs().size() == trial.configuration.indices.size())
    kernel.configuration_text = space->describe(trial.configuration);
  kernel.confirmed = offer.confirmed();
  kernel.seconds =
      offer.confirmed_seconds.count > 0 ? offer.confirmed_seconds : measured_quartiles(trial.measurement);
  kernel.origin = origin_text(record);
  add_vendor(offer, kernel);
  return kernel;
}

/** The better one that others claim is named beside what was measured here. */
Result<LibraryKernel> make_best(const Store& store, const BestOffers& offers) {
  if (!offers.here) return make_kernel(store, *offers.elsewhere);
  LibraryKernel kernel = TRY(make_kernel(store, *offers.here));
  const auto& other = offers.elsewhere;
  if (!other || other->seconds <= 0 || other->seconds >= offers.here->seconds) return kernel;
  LibraryKernel claimed = TRY(make_kernel(store, *other));
  kernel.claimed = ClaimedKernel{claimed.session, std::move(claimed.session_name),
                                 claimed.trial,   std::move(claimed.origin),
                                 claimed.seconds, offers.here->seconds / other->seconds};
  return kernel;
}

}  // namespace

Result<std::vector<LibraryKernel>> best_kernels(const Store& store) {
  std::vector<SessionSummary> sessions = TRY(store.session_list());
  std::map<std::pair<std::string, std::string>, BestOffers> best;
  for (SessionSummary& session : sessions) {
    // A replay measured nothing: what it found is its recording's.
    if (session.record.kind == SessionKind::Replayed) continue;
    std::optional<Offer> offer = TRY(make_offer(store, std::move(session)));
    if (!offer) continue;
    const std::pair key(offer->task.text, offer->session.record.target_json);
    best[key].add(std::move(*offer));
  }
  std::vector<LibraryKernel> kernels;
  for (const auto& [key, offers] : best) kernels.push_back(TRY(make_best(store, offers)));
  std::ranges::stable_sort(kernels, {}, [](const LibraryKernel& kernel) {
    return std::tuple(kernel.task.name, !kernel.measured_here(), -kernel.session);
  });
  return kernels;
}

}  // namespace kernelscape
