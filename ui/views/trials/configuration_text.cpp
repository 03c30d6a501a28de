#include "ui/views/trials/configuration_text.h"

namespace kernelscape::views {

Result<session::TuningRequest> request_of_trial(const workspace::SourceData& source, std::int64_t row) {
  session::TuningRequest request = TRY(session::request_of(source.record()));
  // A single configuration does not need a sophisticated tuner.
  request.tuner = tuner::sweeping_tuner;
  request.settings.clear();
  request.budget = trial::Budget{.trials = 1};
  request.seed.reset();
  request.warm_start.clear();
  request.name.clear();
  request.restrictions.clear();
  const space::Configuration configuration = source.trials.configuration(row);
  const std::vector<space::Knob>& knobs = source.space().knobs();
  for (std::size_t knob = 0; knob < knobs.size(); ++knob) {
    for (int position = 0; position < knobs[knob].element_count(); ++position)
      request.restrictions.push_back(
          {knobs[knob].name(), position, {knobs[knob].element(configuration.indices[knob], position)}});
  }
  return request;
}

Result<std::string> command_line_of_trial(const workspace::SourceData& source, std::int64_t row) {
  const session::TuningRequest request = TRY(request_of_trial(source, row));
  return session::command_line_of(request);
}

}  // namespace kernelscape::views
