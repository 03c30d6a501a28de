#pragma once

#include <QMetaType>
#include <QObject>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/fleet_state.h"
#include "ui/workspace/service.h"

namespace kernelscape {

/** Which fleet is looked at, and where its secret is. Holds no secret: it is kept among the preferences. */
struct FleetPlace {
  std::string address{};        ///< as parse_redis_address() takes it
  std::string password_file{};  ///< empty: the environment has the password

  bool operator==(const FleetPlace&) const = default;
};

/** What a fleet is asked through; by one thread, which may wait for it. */
class FleetLink {
 public:
  virtual ~FleetLink() = default;
  /** The fleet as it is now. */
  virtual Result<FleetState> read() = 0;
  /** Lets a worker finish what it has and leave. */
  virtual Status drain(const std::string& worker) = 0;
};

/** Makes a link; an error is why there is none. */
using FleetLinker = std::function<Result<std::unique_ptr<FleetLink>>(const FleetPlace&)>;

/** A link to a Redis: it waits a few seconds for one that does not answer. */
Result<std::unique_ptr<FleetLink>> link_to_redis(const FleetPlace& place);

using FleetStatePointer = std::shared_ptr<const FleetState>;

/**
 * Reads a fleet by a service, once a second at most, never while a kernel is timed, and only while somebody
 * looks. Window's thread.
 */
class FleetWatch : public QObject {
  Q_OBJECT

 public:
  /** @param linker empty: link_to_redis() */
  explicit FleetWatch(FleetLinker linker = {}, QObject* parent = nullptr);
  ~FleetWatch() override;

  /** Begins or ceases to look. */
  void set_active(bool active);
  /**
   * Instead of the fleet before; none: no fleet. What was known of another one is forgotten. Whatever this
   * program does on that fleet takes its secret from there.
   */
  void watch(const std::optional<FleetPlace>& place);
  /** Reads again at once. */
  void refresh() { wake(); }
  /** Lets a worker of the fleet finish what it has and leave; reads again afterwards. */
  void drain(const std::string& worker);

  const std::optional<FleetPlace>& place() const { return place_; }  ///< none: no fleet
  /** As it was read last; null: not yet. */
  const FleetStatePointer& state() const { return state_; }

 signals:
  /** It was read, or another fleet is watched. */
  void changed();
  /** It can't be read; told at every attempt. */
  void failed(const kernelscape::Error& error);
  /** A worker is asked to leave. */
  void drained(const QString& worker);
  /** A worker can't be asked to leave. */
  void drain_failed(const kernelscape::Error& error);

 private:
  /** What the service is asked for. */
  struct Wanted {
    std::optional<FleetPlace> place{};
    std::vector<std::string> drained{};  ///< once
    bool active = false;
  };

  void wake();
  Service::Pause look();
  void answer(const FleetPlace& place, Result<FleetState> state);
  void tell_drained(const std::string& worker, const Status& status);

  FleetLinker linker_;
  std::shared_ptr<std::atomic<bool>> leaving_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<FleetPlace> place_;
  FleetStatePointer state_;
  std::mutex mutex_;
  Wanted wanted_;  ///< under the mutex

  // Of the service's thread.
  std::optional<FleetPlace> linked_;
  std::unique_ptr<FleetLink> link_;
  Service service_;
};

}  // namespace kernelscape
