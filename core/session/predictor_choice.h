#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/predictor/predictor.h"
#include "core/session/session.h"

namespace kernelscape {

/** What a predictor has to fit. */
struct PredictorUse {
  std::string template_name;
  int template_version = 0;
  TargetDescription target;
};

/**
 * The predictor that is meant, trained and fitting: by its predictor_text() or hash, by its number in the
 * database, or by its name, of several the newest of the database that fits, else a shipped one. Empty: the
 * newest of all. A predictor_text() is found by its hash alone, as a session that goes on needs the very one
 * that it was made with.
 *
 * NotFound where there is none, Refused where the one that is named does not fit or is not trained yet; both
 * say how to make one.
 */
Result<std::shared_ptr<const Predictor>> choose_predictor(const Store& store, std::string_view wanted,
                                                          const PredictorUse& use);

/** The same for a template's kernels, with their limits. */
Result<SessionPredictor> predictor_of_kernels(const Store& store, std::string_view wanted,
                                              const ScheduledKernel& kernel);

/** What to tell of a predictor whose samples ran on another device of the same ISA; else empty. */
std::string predictor_notice(const Predictor& predictor, const TargetDescription& target);

}  // namespace kernelscape
