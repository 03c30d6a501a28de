#include "ui/workspace/fleet_watch.h"

#include <QString>
#include <chrono>
#include <utility>

#include "core/fleet/redis_address.h"
#include "core/fleet/redis_connection.h"
#include "core/fleet/remembered_secrets.h"
#include "core/fleet/secret.h"

namespace kernelscape::workspace {
namespace {

constexpr std::chrono::milliseconds fleet_poll_interval{1000};
constexpr std::chrono::milliseconds between_fleet_attempts{2000};

/** Short, because the next attempt follows automatically, and a closing window waits for this one. */
constexpr double connect_seconds = 2;
constexpr double answer_seconds = 5;

class RedisLink : public FleetLink {
 public:
  explicit RedisLink(fleet::RedisConnection connection) : connection_(std::move(connection)) {}

  Result<fleet::State> read() override { return fleet::read_fleet_state(connection_, fleet::QueueTimes()); }
  Status drain(const std::string& worker) override { return fleet::ask_to_drain(connection_, worker); }

 private:
  fleet::RedisConnection connection_;
};

/** An invalid address is ignored here; the next reading reports it. */
void remember_secret(const FleetPlace& place) {
  if (const auto address = fleet::parse_redis_address(place.address))
    fleet::remember_secret_files(*address, {.password_file = place.password_file});
}

}  // namespace

Result<std::unique_ptr<FleetLink>> link_to_redis(const FleetPlace& place) {
  const fleet::RedisAddress address = TRY(fleet::parse_redis_address(place.address));
  const fleet::Secret secret = TRY(fleet::read_fleet_secret({.password_file = place.password_file}));
  fleet::RedisConnection connection = TRY(fleet::RedisConnection::open(
      address, secret.password,
      {.connect_seconds = connect_seconds, .answer_seconds = answer_seconds, .reconnect_seconds = 0}));
  return std::make_unique<RedisLink>(std::move(connection));
}

FleetWatch::FleetWatch(FleetLinker linker, QObject* parent)
    : QObject(parent),
      linker_(linker ? std::move(linker) : link_to_redis),
      poller_([this] { return look(); }) {}

void FleetWatch::watch(const std::optional<FleetPlace>& place) {
  if (place) remember_secret(*place);
  if (place != place_) state_.reset();
  place_ = place;
  poller_.change([&](Wanted& wanted) {
    wanted.place = place;
    wanted.drained.clear();
  });
  emit changed();
}

void FleetWatch::drain(const std::string& worker) {
  poller_.change([&](Wanted& wanted) { wanted.drained.push_back(worker); });
}

Service::Pause FleetWatch::look() {
  const auto [place, drained] =
      poller_.take([](Wanted& wanted) { return Wanted{wanted.place, std::exchange(wanted.drained, {})}; });
  if (place != linked_) link_.reset();
  linked_ = place;
  if (!place || !poller_.proceed()) return {};
  if (!link_) {
    Result<std::unique_ptr<FleetLink>> link = linker_(*place);
    if (!link) {
      answer(*place, std::unexpected(link.error()));
      for (const std::string& worker : drained) notify_drained(worker, std::unexpected(link.error()));
      return between_fleet_attempts;
    }
    link_ = std::move(*link);
  }
  for (const std::string& worker : drained) notify_drained(worker, link_->drain(worker));
  Result<fleet::State> state = link_->read();
  const bool read = state.has_value();
  // The next attempt makes a new connection, since the user may have corrected the password file meanwhile.
  if (!read) link_.reset();
  answer(*place, std::move(state));
  return read ? fleet_poll_interval : between_fleet_attempts;
}

void FleetWatch::answer(const FleetPlace& place, Result<fleet::State> state) {
  const auto reported = std::make_shared<Result<fleet::State>>(std::move(state));
  poller_.deliver([this, place, reported] {
    if (place != place_) return;  // another fleet is watched by now
    if (!*reported) return emit failed(reported->error());
    state_ = std::make_shared<const fleet::State>(std::move(**reported));
    emit changed();
  });
}

void FleetWatch::notify_drained(const std::string& worker, const Status& status) {
  poller_.deliver([this, worker, status] {
    if (!status) return emit drain_failed(status.error());
    emit drained(QString::fromStdString(worker));
  });
}

}  // namespace kernelscape::workspace
