#include "core/fleet/dispatcher.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/preparation.h"

namespace kernelscape::fleet {

Status Dispatcher::serve_batches() {
  auto batch = batch_.lock();
  while (true) {
    batch.wait([&] { return batch->posting() || batch_.quitting; });
    if (batch_.quitting) return {};
    batch.unlock();
    const Status posted = dispatch();
    batch.lock();
    batch->end_posting(posted);
  }
}

Status Dispatcher::dispatch() {
  TRY(prepare_reference());
  const std::vector<space::Configuration>& configurations = batch_.lock()->configurations();
  const int number = batch_.lock()->number();
  for (std::size_t position = 0; position < configurations.size() && batch_.continues(); ++position) {
    Candidate candidate{.position = position, .batch = number, .configuration = configurations[position]};
    if (reuse_build(candidate)) {
      TRY(poster_.post_run(std::move(candidate)));
    } else {
      TRY(poster_.post_build(std::move(candidate)));
    }
  }
  return {};
}

Status Dispatcher::prepare_reference() {
  if (batch_.lock()->reference || controller_.options.build_only) return {};
  std::optional<std::string> frame =
      TRY(prepare_on_fleet(*controller_.family, controller_.measuring, controller_.options,
                           [this] { return !batch_.continues(); }));
  if (!frame) return {};
  std::string name = TRY(poster_.put_blob(*frame));
  batch_.lock()->reference = PreparedReference{.frame = std::move(*frame), .sha256 = std::move(name)};
  return {};
}

bool Dispatcher::reuse_build(Candidate& candidate) {
  return controller_.measuring.reuse_builds && batch_.lock()->restore_build(candidate);
}

}  // namespace kernelscape::fleet
